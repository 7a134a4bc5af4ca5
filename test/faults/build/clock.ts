import type { Edit } from './edit.ts'

/** Adds the offset of a round to database time, in every process. support/wall-clock.mjs sets their wall clocks. */
export const clock: Edit[] = [
  {
    file: 'src/mongo/database-time.ts',
    find: '(databaseMs) => databaseMs\n',
    put: '(databaseMs) => databaseMs + offsetMs()\n',
    uses: ['offsetMs'],
  },
]
