// What the plugin uses of mithril, which the UI gives to its page. Source of the declarations in
// this folder and those beside: Perfetto's ui/src, v54 to v58, where the same paths have the
// originals. Nothing of them is copied.

type Component<A> = new () => m.ClassComponent<A>;

interface Mithril {
  (selector: string, ...rest: (Record<string, unknown> | m.Children)[]): m.Children;
  <A>(component: Component<A>, attrs: A, ...children: m.Children[]): m.Children;
  (component: Component<object>, ...children: m.Children[]): m.Children;
  redraw(): void;
}

declare global {
  // The UI sets these in ui/src/frontend/debug.ts, after this script has been loaded.
  interface Window {
    m?: Mithril;
    app?: unknown;
  }
}

declare namespace m {
  type Children = unknown;
  interface Vnode<A> {
    readonly attrs: A;
    readonly children: Children;
  }
  interface ClassComponent<A> {
    view(vnode: Vnode<A>): Children;
  }
}

const m = Object.assign((...args: [never]) => window.m!(...args), {redraw: () => window.m!.redraw()}) as Mithril;

export default m;
