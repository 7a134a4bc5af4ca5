import { errorOf } from '../responses.ts'
import type { Check } from '../round.ts'

/** Acts of viewers, and requests with a publishable key except reads of an intent, are refused and change nothing. */
export const rightKept: Check = function* ({ calls, dump, setting }) {
  for (const { call, what, status, path } of calls)
    if (what === 'overreach' && status !== null && status < 500 && status !== 403)
      yield [`call ${call} ${path}`, `a viewer acted, and got ${status}`]
  const support = new Set(setting.staff.filter(({ role }) => role === 'support').map(({ name }) => name))
  for (const { _id, act, actor } of dump.auditevents)
    if (actor.kind === 'staff' && act === 'delivery.requeued' && !support.has(actor.name))
      yield [_id, `${actor.name} is a viewer and did ${act}`]

  const keys = setting.businesses.flatMap((business) => business.keys)
  const publishable = new Set(keys.filter(({ kind }) => kind === 'publishable').map(({ id }) => id))
  const attempts = calls.filter(({ keyId, what }) => publishable.has(keyId ?? '') && what !== 'read')
  for (const call of attempts)
    if (call.status !== null && call.status < 500 && errorOf(call)?.code !== 'SECRET_KEY_REQUIRED')
      yield [`call ${call.call} ${call.what} ${call.path}`, `a publishable key got ${call.status}`]
  const names = new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))
  for (const { referenceNumber, metadata } of dump.intents)
    for (const { key, value } of metadata)
      if (key === 'key' && names.has(value)) yield [referenceNumber, 'was created with a publishable key']
}
