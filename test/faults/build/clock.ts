import type { Edit } from './edit.ts'

/** Both processes take their time from `inside.ts`. */
export const clock: Edit[] = ['src/server.ts', 'workers/main.ts'].flatMap((file) => [
  { file, find: '() => new Date()', put: 'now' },
  {
    file,
    find: "import { createMetrics } from",
    put: `import { now } from '${file.startsWith('src') ? './inside.ts' : '../src/inside.ts'}'\nimport { createMetrics } from`,
  },
])
