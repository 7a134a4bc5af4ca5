import type { Broken, Judge, Round } from '../round.ts'
import { refusalOf } from '../views/answers.ts'

/**
 * Nobody does what they have no right to: a viewer who acts is refused and leaves no line in the trail, in which only those of support stand with acts; and a
 * publishable key reads single intents, and is refused all else.
 */
export const rightKept: Judge = function* (round) {
  yield* viewers(round)
  yield* publishable(round)
}

const acts = ['delivery.requeued']

function* viewers({ calls, dump, setting }: Round): Generator<Broken> {
  for (const { call, what, status, path } of calls)
    if (what === 'overreach' && status !== null && status < 500 && status !== 403)
      yield { of: `call ${call} ${path}`, says: `a viewer acted, and was answered ${status}` }
  const mayAct = new Set(setting.staff.filter(({ role }) => role === 'support').map(({ name }) => name))
  for (const { _id: of, act, actor } of dump.auditevents)
    if (actor.kind === 'staff' && acts.includes(act) && !mayAct.has(actor.name))
      yield { of, says: `${actor.name} did ${act}, who may not` }
}

function* publishable({ calls, setting, dump }: Round): Generator<Broken> {
  const keys = setting.businesses.flatMap((business) => business.keys)
  const ids = new Set(keys.filter(({ kind }) => kind === 'publishable').map(({ id }) => id))
  const tried = calls.filter(({ keyId, what }) => ids.has(keyId ?? '') && what !== 'read')
  for (const call of tried) {
    const { status, what, method, path } = call
    const isOpen = status === null || status >= 500
    if (!isOpen && refusalOf(call)?.code !== 'SECRET_KEY_REQUIRED')
      yield {
        of: `call ${call.call} ${what} ${method} ${path}`,
        says: `a publishable key was answered ${status} ${refusalOf(call)?.code ?? ''}`,
      }
  }
  const names = new Set(tried.map(({ idempotencyKey }) => idempotencyKey))
  for (const { referenceNumber: of, metadata } of dump.intents)
    for (const { key, value } of metadata)
      if (key === 'key' && names.has(value)) yield { of, says: `was made with a publishable key (${value})` }
}
