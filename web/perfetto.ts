// Hands a trace to Perfetto's UI in another tab. Source: Perfetto's docs/visualization/deep-linking-to-perfetto-ui.md.

/** The UI has not answered in this time, in milliseconds. */
const patience = 60_000;

/** Returns the address of a UI, or undefined if the text is none. */
export function addressOf(text: string): URL | undefined {
  try {
    const url = new URL(text.trim());
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens an address of the UI in a tab that this page has opened, and posts the trace when the UI answers. Messages that
 * arrive before it listens are lost, so it is asked until it answers. Returns what came of it.
 */
export async function show(tab: Window, address: string, trace: {buffer: ArrayBuffer; title: string; fileName: string}): Promise<'open' | 'closed' | 'silent'> {
  const {origin} = new URL(address);
  tab.location.replace(address);
  return new Promise((done) => {
    const end = (what: 'open' | 'closed' | 'silent'): void => {
      removeEventListener('message', listen);
      clearInterval(asking);
      clearTimeout(late);
      done(what);
    };
    const listen = ({source, origin: from, data}: MessageEvent): void => {
      if (source !== tab || from !== origin || data !== 'PONG') return;
      // Local: the UI must not offer to upload it.
      tab.postMessage({perfetto: {...trace, localOnly: true}}, origin, [trace.buffer]);
      end('open');
    };
    addEventListener('message', listen);
    // A question says nothing, so it may go to any page that is in the tab before the UI is.
    const asking = setInterval(() => tab.closed ? end('closed') : tab.postMessage('PING', '*'), 100);
    const late = setTimeout(() => end('silent'), patience);
  });
}
