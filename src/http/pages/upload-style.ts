/** Style of the upload page: one column that fits a phone, light and dark as the reader's system has it. */
export const uploadStyle = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6570; --ground: #f6f7f9; --card: #fff; --line: #c3cad2; --accent: #0b5cad; --bad: #a4161a; --good: #1a6b3c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef0; --soft: #a6b0ba; --ground: #14171a; --card: #1e2227; --line: #4a545e; --accent: #7bb8f5; --bad: #ff9b9b; --good: #7fd6a2; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: clamp(1rem, 6vh, 4rem) 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
#drop { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: .25rem; min-height: 12rem; padding: 1.5rem; text-align: center; background: var(--card); border: 2px dashed var(--line); border-radius: .75rem; color: var(--soft); cursor: pointer; }
#drop .big { font-size: 1.15rem; font-weight: 600; color: var(--accent); }
#drop:hover, #drop.over { border-color: var(--accent); }
#file:focus-visible + #drop, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
#sending { background: var(--card); border-radius: .75rem; padding: 1.25rem; }
.name { margin: 0 0 .75rem; font-weight: 600; overflow-wrap: anywhere; }
progress { width: 100%; height: .75rem; accent-color: var(--accent); }
.figures { display: flex; justify-content: space-between; gap: 1rem; margin: .5rem 0 0; color: var(--soft); font-variant-numeric: tabular-nums; }
#state { margin: 1rem 0 0; min-height: 1.5em; }
#state.done { color: var(--good); font-size: 1.15rem; font-weight: 600; }
#problem { color: var(--bad); }
#expected { color: var(--soft); overflow-wrap: anywhere; }
button { font: inherit; font-weight: 600; padding: .6rem 1.2rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--card); cursor: pointer; }
[hidden] { display: none !important; }
`;
