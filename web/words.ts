// The page's own words. What reports and errors say stays as the program writes it.

const en = {
  home: 'ohframe',
  language: '中文',
  drop: 'Drop a trace here',
  what: 'Text of hitrace, .sys, .htrace, Perfetto traces, also in .gz or .zip, with perf.data beside it. Two traces or folders are compared.',
  files: 'Choose files',
  folder: 'Choose a folder',
  sample: 'Try the sample trace',
  private: 'Nothing leaves your browser: the trace is read here, and the page may connect only to its own site.',
  perfetto: 'Open in Perfetto',
  save: 'Save',
  compareWith: 'Compare with…',
  swap: 'Swap base and new',
  arrange: 'Choose sides…',
  again: 'Another trace',
  sides: 'Which traces are to be compared?',
  trace: 'Trace',
  size: 'Size',
  base: 'Base',
  new: 'New',
  diff: 'Compare',
  all: 'Report on all',
  cancel: 'Cancel',
  back: 'Back',
  close: 'Close',
  why: 'Why?',
  whyOf: 'Why: {0}',
  whyAll: 'all causes',
  list: 'List all',
  settings: 'Settings',
  ui: 'Address of Perfetto’s UI',
  uiMeaning: '“Open in Perfetto” hands the trace to the page at this address, which your browser opens in another tab.',
  newer: 'A newer version is ready.',
  reload: 'Load it',
  loading: 'Loading the program',
  reading: 'Reading {0}',
  comparing: 'Comparing {0}',
  converting: 'Converting {0} for Perfetto',
  explaining: 'Explaining {0}',
  saving: 'Writing {0}',
  amount: '{0} of {1}',
  percent: '{0} % read',
  working: 'All is read; the answer is being written',
  shown: 'The report on {0} is shown below.',
  compared: 'The comparison of {0} is shown below.',
  cancelled: 'Cancelled.',
  saved: '{0} is saved.',
  saveTrace: 'Trace for Perfetto',
  saveBoth: 'Both traces on one timeline, for Perfetto',
  saveReport: 'Report as a page',
  saveJSON: 'Report as JSON',
  saveCSV: 'Report as CSV',
  saveFrames: 'All frames as CSV',
  failed: 'The trace could not be read',
  impossible: 'This is not possible',
  archiveHint: 'Unpack it, and drop the files or their folder.',
  already: '{0} is a Perfetto trace already, and is saved as it is.',
  readAs: '{0} is read as the samples of {1}.',
  notRead: '{0} is not read: samples of {1} have the name {2}.',
  failedHint: 'Choose another file, or drop it here.',
  failedMemory: 'The browser has not enough memory for this trace',
  failedMemoryHint: 'Close other tabs and try again, record a shorter trace, or read it with the program: ohframe report FILE.',
  failedTrap: 'The program failed',
  failedTrapHint: 'This is a fault in ohframe. Please report it with this text, and without the trace if that is not yours to publish.',
  failedLoad: 'The program cannot be loaded',
  failedLoadHint: 'Check the connection to the site of this page, and load the page again.',
  noFiles: 'Nothing to read',
  noFilesHint: 'The folder has no files, or what was dropped is no file. Drop a trace, or choose it with the button.',
  unreadable: 'A file cannot be read',
  unreadableHint: 'It was moved or changed, or the browser may not read it. Choose it again.',
  oldBrowser: 'This browser lacks what the page needs ({0})',
  oldBrowserHint: 'Use a current Chrome, Edge, Firefox or Safari, or the program: ohframe report FILE.',
  noSample: 'The sample trace cannot be loaded',
  popup: 'The browser has not opened another tab',
  popupHint: 'Allow pop-up windows for this page, and press the button again. Or save the trace for Perfetto and open it there.',
  preparing: 'ohframe converts the trace. Perfetto opens here.',
  noAnswer: '{0} does not answer',
  noAnswerHint: 'Check the address in the settings of the start page. Or save the trace for Perfetto and open it there.',
  tabClosed: 'The tab was closed before Perfetto had the trace',
  badAddress: '{0} is not an address such as https://ui.perfetto.dev',
  handedOver: 'The trace is open in Perfetto. If it asks whether you trust this page, answer yes.',
};

export type Word = keyof typeof en;

const zh: Record<Word, string> = {
  home: 'ohframe',
  language: 'English',
  drop: '把 trace 拖到这里',
  what: '支持 hitrace 文本、.sys、.htrace、Perfetto trace（也可以是 .gz 或 .zip），以及同目录的 perf.data。放入两个 trace 或文件夹时进行对比。',
  files: '选择文件',
  folder: '选择文件夹',
  sample: '试试示例 trace',
  private: '数据不会离开浏览器：trace 在本机读取，页面只能连接它自己的站点。',
  perfetto: '在 Perfetto 中打开',
  save: '保存',
  compareWith: '对比…',
  swap: '交换两侧',
  arrange: '选择两侧…',
  again: '换一个 trace',
  sides: '要对比哪些 trace？',
  trace: 'Trace',
  size: '大小',
  base: '基准',
  new: '新',
  diff: '对比',
  all: '生成全部的报告',
  cancel: '取消',
  back: '返回',
  close: '关闭',
  why: '原因',
  whyOf: '原因：{0}',
  whyAll: '全部原因',
  list: '全部列出',
  settings: '设置',
  ui: 'Perfetto UI 的地址',
  uiMeaning: '“在 Perfetto 中打开”会在新标签页打开此地址，并把 trace 交给该页面。',
  newer: '新版本已就绪。',
  reload: '载入',
  loading: '正在加载程序',
  reading: '正在读取 {0}',
  comparing: '正在对比 {0}',
  converting: '正在为 Perfetto 转换 {0}',
  explaining: '正在分析 {0}',
  saving: '正在写入 {0}',
  amount: '{0} / {1}',
  percent: '已读取 {0} %',
  working: '读取完毕，正在生成结果',
  shown: '{0} 的报告显示在下方。',
  compared: '{0} 的对比显示在下方。',
  cancelled: '已取消。',
  saved: '已保存 {0}。',
  saveTrace: '供 Perfetto 使用的 trace',
  saveBoth: '两个 trace 合并到同一时间轴，供 Perfetto 使用',
  saveReport: '报告（网页）',
  saveJSON: '报告（JSON）',
  saveCSV: '报告（CSV）',
  saveFrames: '所有帧（CSV）',
  failed: '无法读取该 trace',
  impossible: '无法完成此操作',
  archiveHint: '请先解压，再拖入其中的文件或文件夹。',
  already: '{0} 已是 Perfetto trace，按原样保存。',
  readAs: '{0} 作为 {1} 的采样数据读取。',
  notRead: '未读取 {0}：{1} 的采样数据应命名为 {2}。',
  failedHint: '请选择其他文件，或把它拖到这里。',
  failedMemory: '浏览器内存不足，无法处理该 trace',
  failedMemoryHint: '请关闭其他标签页后重试，录制更短的 trace，或使用命令行程序：ohframe report FILE。',
  failedTrap: '程序出错',
  failedTrapHint: '这是 ohframe 的缺陷。请附上这段文字反馈；如果 trace 不能公开，请不要附上 trace。',
  failedLoad: '无法加载程序',
  failedLoadHint: '请检查与本页面站点的连接，然后重新加载页面。',
  noFiles: '没有可读取的内容',
  noFilesHint: '文件夹是空的，或者拖入的不是文件。请拖入 trace，或用按钮选择。',
  unreadable: '有文件无法读取',
  unreadableHint: '文件已被移动或修改，或者浏览器无权读取。请重新选择。',
  oldBrowser: '此浏览器缺少页面所需的功能（{0}）',
  oldBrowserHint: '请使用较新的 Chrome、Edge、Firefox 或 Safari，或使用命令行程序：ohframe report FILE。',
  noSample: '无法加载示例 trace',
  popup: '浏览器没有打开新标签页',
  popupHint: '请允许本页面弹出窗口，然后再次点击按钮。也可以保存供 Perfetto 使用的 trace，再到那里打开。',
  preparing: 'ohframe 正在转换 trace，随后 Perfetto 会在这里打开。',
  noAnswer: '{0} 没有响应',
  noAnswerHint: '请检查起始页“设置”中的地址。也可以保存供 Perfetto 使用的 trace，再到那里打开。',
  tabClosed: 'Perfetto 取得 trace 之前，标签页已关闭',
  badAddress: '{0} 不是 https://ui.perfetto.dev 这样的地址',
  handedOver: 'trace 已在 Perfetto 中打开。如果它询问是否信任本页面，请选择“是”。',
};

export type Language = 'en' | 'zh';
const texts: Record<Language, Record<Word, string>> = {en, zh};
let language: Language = 'en';

/** The language that ?lang= names, or else that was chosen before, or that the browser prefers. */
export function preferred(): Language {
  const asked = new URLSearchParams(location.search).get('lang') ?? stored('language') ?? navigator.language;
  return asked.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function speak(l: Language): void {
  language = l;
  document.documentElement.lang = l === 'zh' ? 'zh-CN' : 'en';
  for (const e of document.querySelectorAll<HTMLElement>('[data-word]')) e.textContent = word(e.dataset['word'] as Word);
}

export function spoken(): Language {
  return language;
}

/** A text with its {0}, {1} replaced. */
export function word(name: Word, ...values: (string | number)[]): string {
  return texts[language][name].replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)] ?? ''));
}

/** A setting of this browser; null where it keeps none. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem('ohframe.' + name);
  } catch {
    return null;
  }
}

export function store(name: string, value: string): void {
  try {
    localStorage.setItem('ohframe.' + name, value);
  } catch {
    // It is forgotten.
  }
}
