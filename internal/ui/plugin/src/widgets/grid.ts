import m from '../mithril';

interface GridAttrs {
  readonly columns: readonly {readonly key: string; readonly header?: m.Children}[];
  readonly rowData: readonly (readonly m.Children[])[];
}

// A table. The UI's has columns that can be dragged, and scrolls by itself.
export class Grid implements m.ClassComponent<GridAttrs> {
  view({attrs: {columns, rowData}}: m.Vnode<GridAttrs>): m.Children {
    return m(
      'table.pf-openharmony-frames__grid',
      m('thead', m('tr', columns.map((c) => m('th', c.header)))),
      m('tbody', rowData.map((row) => m('tr', row.map((cell) => m('td', cell))))),
    );
  }
}

export class GridHeaderCell implements m.ClassComponent<object> {
  view({children}: m.Vnode<object>): m.Children {
    return children;
  }
}

interface GridCellAttrs {
  readonly align?: 'left' | 'center' | 'right';
  readonly wrap?: boolean;
}

export class GridCell implements m.ClassComponent<GridCellAttrs> {
  view({attrs: {align}, children}: m.Vnode<GridCellAttrs>): m.Children {
    return m('div', {style: {textAlign: align}}, children);
  }
}
