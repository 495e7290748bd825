import m from '../mithril';

interface ButtonAttrs {
  readonly label: string;
  readonly icon?: string;
  readonly rightIcon?: string;
  readonly title?: string;
  readonly compact?: boolean;
  readonly onclick: () => void;
}

// The UI's stylesheet has its classes.
export class Button implements m.ClassComponent<ButtonAttrs> {
  view({attrs: {label, icon, rightIcon, compact, ...attrs}}: m.Vnode<ButtonAttrs>): m.Children {
    return m(
      'button.pf-button',
      {...attrs, type: 'button', className: compact ? 'pf-compact' : ''},
      icon && m('i.pf-icon.pf-left-icon', icon),
      m('span.pf-button__label', label),
      rightIcon && m('i.pf-icon.pf-right-icon', rightIcon),
    );
  }
}
