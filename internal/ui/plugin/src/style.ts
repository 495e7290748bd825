// The style of the panels. The UI's variables follow its theme.
export const style = `
.ohf { padding: 10px 16px; color: var(--pf-color-text); font-size: 14px; line-height: 1.45; max-width: 1200px; overflow-wrap: anywhere; user-select: text; }
.ohf h1 { font-size: 18px; font-weight: 500; margin: 0; display: inline; }
.ohf h2 { font-size: 13px; font-weight: 500; margin: 12px 0 4px; color: var(--pf-color-text-muted, inherit); }
.ohf p { margin: 4px 0; }
.ohf-head { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
.ohf-late { color: var(--pf-color-danger, #b3261e); font-size: 18px; font-weight: 500; }
.ohf-good { color: var(--pf-color-success, #2e7d32); font-size: 18px; font-weight: 500; }
.ohf-muted { color: var(--pf-color-text-muted, inherit); opacity: 0.85; }
.ohf-right { margin-left: auto; display: flex; gap: 6px; align-items: baseline; }
.ohf button { font: inherit; color: inherit; background: none; border: 1px solid var(--pf-color-border, #888); border-radius: 3px; padding: 1px 8px; cursor: pointer; }
.ohf button:hover { background: var(--pf-color-background-secondary, #8883); }
.ohf button.ohf-link { border: 0; padding: 0; color: inherit; text-align: left; text-decoration: underline; }
.ohf button:focus-visible, .ohf-bar button:focus-visible { outline: 2px solid var(--pf-color-accent, #3d5afe); outline-offset: 1px; }
.ohf-cause { font-size: 15px; }
.ohf-advice::before { content: '→ '; }
.ohf-bar { display: flex; height: 24px; margin: 4px 0 6px; border-radius: 3px; overflow: hidden; background: var(--pf-color-background-tertiary, #8883); }
.ohf .ohf-bar button { border: 0; border-radius: 0; padding: 0 4px; min-width: 0; font-size: 12px; line-height: 24px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; text-align: left; }
.ohf .ohf-bar button.ohf-thin { padding: 0; }
.ohf .ohf-bar button + button { border-left: 1px solid var(--pf-color-background, #fff); }
.ohf h1 button.ohf-link { color: inherit; text-decoration: none; }
.ohf h1 button.ohf-link:hover { text-decoration: underline; }
.ohf .ohf-bar button:hover { filter: brightness(1.2); }
.ohf-legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0; padding: 0; list-style: none; font-size: 13px; }
.ohf-chip { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin-right: 5px; vertical-align: -1px; }
.ohf table { border-collapse: collapse; font-size: 13px; }
.ohf th, .ohf td { text-align: left; vertical-align: top; padding: 2px 14px 2px 0; border: 0; }
.ohf th { font-weight: 500; color: var(--pf-color-text-muted, inherit); }
.ohf .ohf-short { white-space: nowrap; }
.ohf .ohf-number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
`;
