import { dueOf, type Oracle } from './seen.ts'

/** Bytes on a connection are the requests that any reader finds in them: no more are answered, and none is carried out whose end two readers see in two places. */
export const readOnce: Oracle = (seen) => {
  const { attack, answer, place } = seen
  if (attack.raw === null) return null
  const due = dueOf(seen)
  // What is no request, or not yet a whole one, may be refused at once.
  const isUnasked = due === null && (place > 0 || attack.raw.dues.length > 0)
  if (isUnasked) return `is answer ${place + 1}, of ${attack.raw.dues.length} that were asked for`
  const isRefusal = answer.status >= 400
  return (due === null || due === 'refused') && !isRefusal
    ? `answered ${answer.status} to what is no request`
    : null
}
