// Whose functions the addon calls on Windows. It names node.exe, and there the program may be called otherwise:
// Electron's, a renamed node.exe, a single executable. The linker's helper (delay loading) asks this hook before it
// looks for the file. node-gyp compiles one of its own into what it builds; cross.mjs links this one.
#include <windows.h>

#include <delayimp.h>

static FARPROC WINAPI find_host(unsigned notice, PDelayLoadInfo info) {
  if (notice != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) return NULL;
  // A Node that was built as a library.
  HMODULE library = GetModuleHandleA("libnode.dll");
  return (FARPROC)(library ? library : GetModuleHandleA(NULL));
}

PfnDliHook __pfnDliNotifyHook2 = find_host;
