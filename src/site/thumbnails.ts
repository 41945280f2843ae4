// Frames of films in a list: each is read by the browser's own player when its row is seen, one after the other.

/** Where a film begins, titles are black. */
const [share, mostSeconds] = [0.1, 10];
/** Longer than this is not waited for: the next one has its turn. */
const mostWaitMs = 15_000;

/** @returns null: this browser cannot show it */
function frameOf(url: string, width: number, height: number): Promise<HTMLCanvasElement | null> {
  const video = Object.assign(document.createElement('video'), { muted: true, preload: 'auto', src: url });
  return new Promise<HTMLCanvasElement | null>((resolve) => {
    const none = (): void => resolve(null);
    video.addEventListener('error', none);
    setTimeout(none, mostWaitMs);
    video.addEventListener('loadedmetadata', () => {
      if (video.videoWidth === 0) none();
      else video.currentTime = Math.min(mostSeconds, video.duration * share || 0);
    });
    video.addEventListener('seeked', () => {
      const canvas = Object.assign(document.createElement('canvas'), {
        width: width * devicePixelRatio,
        height: height * devicePixelRatio,
        ariaHidden: 'true',
      });
      // As much of it as fits, from its middle.
      const scale = Math.max(canvas.width / video.videoWidth, canvas.height / video.videoHeight);
      const [wide, high] = [canvas.width / scale, canvas.height / scale];
      const [left, top] = [(video.videoWidth - wide) / 2, (video.videoHeight - high) / 2];
      canvas.getContext('2d')?.drawImage(video, left, top, wide, high, 0, 0, canvas.width, canvas.height);
      resolve(canvas);
    });
  }).finally(() => {
    // Else it goes on reading.
    video.removeAttribute('src');
    video.load();
  });
}

/** Films that cannot be shown keep their waveform. */
export function showThumbnails(places: Iterable<HTMLElement>): void {
  let line: Promise<unknown> = Promise.resolve();
  const watch = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      watch.unobserve(target);
      line = line.then(async () => {
        const frame = await frameOf(target.dataset['film'] ?? '', target.clientWidth, target.clientHeight);
        if (frame !== null) target.replaceChildren(frame);
        return frame;
      });
    }
  });
  for (const place of places) watch.observe(place);
}
