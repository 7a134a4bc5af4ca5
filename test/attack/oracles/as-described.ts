import { departure } from '../../support/described.ts'
import { operationAt } from './operation-at.ts'
import type { Oracle } from './seen.ts'

/** An answer of an operation is as the description of the API has it. What Node refuses before anybody looks is in no description. */
export const asDescribed: Oracle = ({ attack, line, answer }) => {
  if (attack.raw !== null || operationAt(attack.method, line) === null) return null
  const isPlain = attack.headers.every(([name]) => /^(accept|user-agent|x-|cookie|referer)/i.test(name))
  if (!isPlain || /[^\w/.~?=&-]/.test(line) || line.length > 2000) return null
  return departure(attack.method, line, {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    headers: [...answer.headers.keys()],
    body: attack.method === 'HEAD' || answer.body === '' ? null : answer.body,
  })
}
