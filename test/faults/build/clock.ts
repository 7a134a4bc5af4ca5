import type { Edit } from './edit.ts'

/** Both processes take their time from `inside.ts`. */
export const clock: Edit[] = ['src/server.ts', 'workers/main.ts'].map((file) => ({
  file,
  find: '() => new Date()',
  put: 'now',
  uses: ['now'],
}))
