import type { Edit } from './edit.ts'

/** Lists are counted by marks from six items on, not from two thousand: a round has no list as long as that. */
export const narrowStrides: Edit[] = [
  { file: 'src/lists/counts/checkpoint.ts', find: 'const stride = 2_000', put: 'const stride = 5' },
]
