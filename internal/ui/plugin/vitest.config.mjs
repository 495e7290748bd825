import {defineConfig} from 'vitest/config';

// As that of Perfetto's UI, but for the page that tests of src/open make by themselves.
export default defineConfig({
  resolve: {alias: {mithril: new URL('src/mithril.ts', import.meta.url).pathname}},
  test: {globals: true, include: ['src/**/*_unittest.ts']},
});
