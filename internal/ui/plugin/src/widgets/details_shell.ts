import m from '../mithril';

interface DetailsShellAttrs {
  readonly className?: string;
  readonly title: m.Children;
  readonly description?: m.Children;
  readonly buttons?: m.Children;
}

export class DetailsShell implements m.ClassComponent<DetailsShellAttrs> {
  view({attrs: {className, title, description, buttons}, children}: m.Vnode<DetailsShellAttrs>): m.Children {
    return m(
      'section.pf-details-shell.pf-fill-height',
      {className},
      m('header.pf-header-bar', m('h1.pf-header-title', title), m('span.pf-header-description', description), m('nav.pf-header-buttons', buttons)),
      m('article.pf-content', children),
    );
  }
}
