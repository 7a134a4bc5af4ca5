import type { Check, Stored } from './check.ts'

const ofEnvironment =
  'intents deliveries events ledgerentries products orders shops webhookendpoints webhookreplays'
const ofBusiness = 'apikeys invitations notices'
/** The service's own documents, or documents that only sometimes have a business. */
const global =
  'businesses settings servicekeys responses requeueplans staff staffsessions people peoplesessions counters auditevents auditseals auditchecks auditleases noticeruns wallets walletmovements reconciliations retention retentionprogress listcheckpoints migrations'

export const names = {
  ofEnvironment: ofEnvironment.split(' '),
  ofBusiness: ofBusiness.split(' '),
  global: global.split(' '),
}

type Fields = Record<string, unknown> & { _id: string }
const fieldsIn = (stored: Stored, name: string): Fields[] => (stored[name] ?? []) as Fields[]

export const owned: Check = function* (stored) {
  const listed = new Set(Object.values(names).flat())
  for (const name of Object.keys(stored))
    if (!listed.has(name)) yield [name, 'is a collection that no list names']
  for (const name of [...names.ofEnvironment, ...names.ofBusiness])
    for (const { _id, businessId, sandbox } of fieldsIn(stored, name)) {
      if (typeof businessId !== 'string' || businessId === '') yield [_id, `of ${name} has no business`]
      if (names.ofEnvironment.includes(name) && typeof sandbox !== 'boolean')
        yield [_id, `of ${name} has no environment`]
    }
}

function* claimsIn(stored: Stored): Generator<[_id: string, what: string, ...ends: unknown[]]> {
  for (const { _id, leaseToken, nextAttemptAt } of stored.deliveries)
    if (leaseToken !== null) yield [_id, 'lease of a delivery', nextAttemptAt]
  for (const { _id, status, nextRunAt } of stored.webhookreplays)
    if (status === 'RUNNING') yield [_id, 'lease of a replay', nextRunAt]
  for (const { _id, leaseEndsAt } of fieldsIn(stored, 'retention'))
    yield [_id, 'lease of the clean-up', leaseEndsAt]
  for (const { referenceNumber, hold, refunds } of stored.intents) {
    if (hold) yield [referenceNumber, 'hold', hold.validUntil, hold.queryAt]
    for (const { status, validUntil, queryAt } of refunds)
      if (status === 'PENDING') yield [referenceNumber, 'refund', validUntil, queryAt]
  }
}

export const claimsEnd: Check = function* (stored) {
  for (const [id, what, ...ends] of claimsIn(stored))
    if (ends.some((end) => !Number.isFinite(end))) yield [id, `has a ${what} without an end`]
}
