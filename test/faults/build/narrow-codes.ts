import type { Edit } from './edit.ts'

/**
 * Payment codes are drawn from 500, not from a million: within half a minute some are drawn twice, and it shows what the service does then.
 * Too few for longer than that.
 */
export const narrowCodes: Edit[] = [
  { file: 'src/security/ids.ts', find: 'String(randomInt(1_000_000))', put: 'String(randomInt(500))' },
]
