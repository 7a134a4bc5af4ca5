import type { Edit } from './edit.ts'

/** Adds the one offset of a round to database time, in every process. Their own clocks are another matter (support/wall-clock.mjs). */
export const clock: Edit[] = [
  {
    file: 'src/database-time.ts',
    find: '(databaseMs) => databaseMs\n',
    put: '(databaseMs) => databaseMs + offsetMs()\n',
    uses: ['offsetMs'],
  },
]
