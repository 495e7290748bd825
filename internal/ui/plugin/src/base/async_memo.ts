import m from '../mithril';

type Key = Readonly<Record<string, string | number | readonly number[]>>;

interface Options<T, K extends Key> {
  readonly key: K;
  readonly compute: () => Promise<T>;
  readonly retainOn?: readonly (keyof K)[];
}

type Result<T> = {readonly isPending: true; readonly data?: T} | {readonly isPending: false; readonly data: T};

// AsyncMemo computes a value while the page is drawn: draws show the one that there is, until the
// next. The UI has it from v57 on, but not for scripts beside it. A failure is printed: the UI
// would show a dialog, and the user has lost only what the plugin adds.
export class AsyncMemo<T> {
  private asked?: string;
  private got?: {readonly key: string; readonly data: T};

  use<K extends Key>({key, compute, retainOn}: Options<T, K>): Result<T> {
    const text = JSON.stringify(key);
    if (this.asked !== text) {
      this.asked = text;
      compute().then(
        (data) => {
          if (this.asked !== text) return;
          this.got = {key: text, data};
          m.redraw();
        },
        (e: unknown) => console.info('ohframe:', e),
      );
    }
    if (this.got?.key === text) return {isPending: false, data: this.got.data};
    return {isPending: true, data: retainOn === undefined ? undefined : this.got?.data};
  }

  dispose(): void {
    this.asked = '';
  }
}
