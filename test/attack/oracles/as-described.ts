import { departure } from '../../support/described.ts'
import { operationAt } from './operation-at.ts'
import type { Oracle, Seen } from './seen.ts'

/** An answer of an operation is as the description of the API has it. What is refused before anybody looks is in no description. */
export const asDescribed: Oracle = (seen) => {
  const { attack, line, answer } = seen
  if (attack.raw !== null || operationAt(attack.method, line) === null || isUnread(seen)) return null
  return departure(attack.method, line, {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    headers: [...answer.headers.keys()],
    body: attack.method === 'HEAD' || answer.body === '' ? null : answer.body,
  })
}

/** Refused by what reads HTTP: with such a refusal the connection ends. */
const isUnread = ({ answer }: Seen): boolean =>
  answer.status >= 400 && answer.headers.get('connection') === 'close'
