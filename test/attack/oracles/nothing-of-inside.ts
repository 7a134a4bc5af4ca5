import type { Oracle } from './seen.ts'

/** A place in a line of a stack, or a file of ours. */
const inside = /\.[cm]?[jt]s:\d+:\d+|node:internal|node_modules|\/(src|dist|workers)\/[\w/-]+\.[jt]s\b/

/** No answer tells where in the program it was made, whatever went wrong. Bull Board's own page and files name their parts. */
export const nothingOfInside: Oracle = ({ answer, line }) => {
  const found = line.startsWith('/docs') || line.startsWith('/admin/queues') ? null : inside.exec(answer.body)
  return found === null ? null : `tells of its inside: ${found[0]}`
}
