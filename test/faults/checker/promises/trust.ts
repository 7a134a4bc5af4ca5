import type { DeliveryDocument } from '../../../invariants/documents.ts'
import { groupsOf, repeatedOf, sumOf } from '../../../invariants/groups.ts'
import { type Call, deliveryIn, having } from '../../evidence/evidence.ts'
import { isDone, isUnknown } from '../requests.ts'
import { dataOf, endpointIn, errorOf, intentsIn, pageOf, queryOf } from '../responses.ts'
import { type Check, endpointOfDelivery, type Findings, type Round } from '../round.ts'
import { signingSecrets } from './deliveries.ts'

type Owner = { businessId: string; sandbox: boolean }
const ownerWords = ({ businessId, sandbox }: Owner): string => `${businessId} ${sandbox ? 'test' : 'live'}`

/** No response or webhook has anything of another business or environment. Test and live money never mix. */
const tenantApart: Check = function* (round) {
  const owners = ownersIn(round)
  // Longest markers first, because one may begin with another. Some businesses have no live marker.
  const markers = round.setting.businesses.flatMap(({ markers: { test, live } }) =>
    live ? [test, live] : [test],
  )
  const byLength = markers.toSorted((one, other) => other.length - one.length)
  const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const anyMarker = new RegExp(byLength.map(literally).join('|'), 'g')
  for (const call of round.calls) if (call.business !== null) yield* ownOnly(call, owners, anyMarker)
  yield* round.broken('documents owned')
  for (const { referenceNumber, sandbox, payment } of round.dump.intents)
    if (payment?.wallet.startsWith('live:') === sandbox)
      yield [referenceNumber, `of ${sandbox ? 'test' : 'live'} was paid by ${payment.wallet}`]
  yield* arrived(round, owners)
}

function ownersIn({ dump, setting }: Round): Map<string, Owner> {
  const things = [...dump.products, ...dump.deliveries, ...dump.events, ...dump.webhookreplays]
  return new Map<string, Owner>([
    ...dump.intents.flatMap((intent) =>
      [intent.referenceNumber, ...intent.refunds.map(({ id }) => id)].map((name) => [name, intent] as const),
    ),
    ...dump.orders.flatMap((order): [string, Owner][] => (order.number ? [[order.number, order]] : [])),
    ...things.map((thing): [string, Owner] => [thing._id, thing]),
    ...setting.businesses.flatMap(({ id: businessId, markers: { test, live } }): [string, Owner][] => [
      [test, { businessId, sandbox: true }],
      [live, { businessId, sandbox: false }],
    ]),
  ])
}

const names = /\b(?:PI|OR|RF)-[0-9A-Z]{16}\b|"[\w-]{32}"|"[0-9a-f]{24}"/g

function* ownOnly(call: Call, owners: Map<string, Owner>, anyMarker: RegExp): Findings {
  const own = { businessId: call.business ?? '', sandbox: call.sandbox ?? false }
  const text = JSON.stringify(call.response) ?? ''
  for (const [name] of [...text.matchAll(names), ...text.matchAll(anyMarker)]) {
    const owner = owners.get(name.replaceAll('"', ''))
    if (owner !== undefined && ownerWords(owner) !== ownerWords(own))
      yield [`call ${call.call}`, `${call.what} showed ${name} of ${ownerWords(owner)} to ${ownerWords(own)}`]
  }
  if (call.actor === 'stranger' && call.status !== null && call.status < 300)
    yield [`call ${call.call}`, `a stranger got ${call.status} to ${call.method} ${call.path}`]
}

function* arrived({ calls, arrivals, dump }: Round, owners: Map<string, Owner>): Findings {
  const pathOf = (url = ''): string => (URL.canParse(url) ? new URL(url).pathname : '')
  const registered = [
    ...having(calls, 'endpoint.create', 'endpoint.update').map(({ body, business }) => {
      return { path: pathOf((body as { url?: string } | null)?.url), business }
    }),
    ...dump.webhookendpoints.map(({ url, businessId }) => ({ path: pathOf(url), business: businessId })),
  ]
  const byPath = groupsOf(registered, ({ path }) => path)
  for (const { path, body } of arrivals) {
    const { sandbox, data } = JSON.parse(body)
    const owner = owners.get(data.reference_number)
    if (owner === undefined) continue
    if (!byPath.get(path)?.some(({ business }) => business === owner.businessId))
      yield [deliveryIn(body), `came to ${path}, and belongs to ${ownerWords(owner)}`]
    if (sandbox !== owner.sandbox) yield [deliveryIn(body), `reports ${sandbox} of ${ownerWords(owner)}`]
  }
}

const rightKept: Check = function* ({ calls, dump, setting, publishable }) {
  for (const { call, status, path } of having(calls, 'overreach'))
    if (status !== null && status < 500 && status !== 403)
      yield [`call ${call} ${path}`, `a viewer acted, and got ${status}`]
  const support = new Set(setting.staff.filter(({ role }) => role === 'support').map(({ name }) => name))
  for (const { _id, act, actor } of dump.auditevents)
    if (actor.kind === 'staff' && act === 'delivery.requeued' && !support.has(actor.name))
      yield [_id, `${actor.name} is a viewer and did ${act}`]
  const attempts = calls.filter(({ keyId, what }) => publishable.has(keyId) && what !== 'read')
  for (const call of attempts)
    if (call.status !== null && call.status < 500 && errorOf(call)?.code !== 'SECRET_KEY_REQUIRED')
      yield [`call ${call.call} ${call.what} ${call.path}`, `a publishable key got ${call.status}`]
  const keys = new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))
  for (const { referenceNumber, metadata } of dump.intents)
    for (const { key, value } of metadata)
      if (key === 'key' && keys.has(value)) yield [referenceNumber, 'was created with a publishable key']
}

const auditComplete: Check = function* (round) {
  const { dump, calls } = round
  for (const { _id } of repeatedOf(dump.auditevents, (line) => line._id)) yield [_id, 'is in the trail twice']
  yield* requeueLines(round)
  const signedIn = dump.auditevents.filter(({ act }) => act === 'staff.signed-in')
  const signIns = groupsOf(having(calls, 'support.sign-in'), ({ body }) => (body as { name: string }).name)
  for (const [name, own] of signIns) {
    const sure = own.filter(({ status, headers }) => status === 303 && 'set-cookie' in headers).length
    const lines = signedIn.filter(({ subject }) => subject === name).length
    if (lines < sure || lines > sure + own.filter(isOpen).length)
      yield [name, `signed in ${sure} times or more, and the trail has ${lines} lines`]
  }
}

const isOpen = ({ status }: Call): boolean => status === null || status >= 500
const resultIn = (call: Call, name: string): string | null => queryOf(pageOf(call)?.location ?? '/').get(name)

function* requeueLines(round: Round): Findings {
  const { dump, calls, requests } = round
  const requeued = dump.auditevents.filter(({ act }) => act === 'delivery.requeued')
  const lines = groupsOf(requeued, ({ subject }) => subject)
  const idIn = ({ path }: Pick<Call, 'path'>) => /\/(?:events|deliveries)\/([\w-]+)\//.exec(path)?.[1] ?? ''
  const byMerchants = groupsOf(having(requests, 'delivery.retry'), idIn)
  const byStaff = groupsOf(having(calls, 'requeue'), idIn)
  const byEndpoint = groupsOf(having(calls, 'requeue.all'), endpointIn)
  const written = groupsOf(requeued, ({ subject }) => endpointOfDelivery(subject))
  for (const [endpointId, own] of byEndpoint) {
    const reported = sumOf(own, (call) => Number(resultIn(call, 'requeued') ?? 0))
    const count = written.get(endpointId)?.length ?? 0
    if (count < reported) yield [endpointId, `${reported} were re-queued, and the trail has ${count}`]
  }
  for (const delivery of dump.deliveries) {
    const { _id, requeues, endpointId } = delivery
    const own = lines.get(_id) ?? []
    const [retries, acts] = [byMerchants.get(_id) ?? [], byStaff.get(_id) ?? []]
    const least =
      retries.filter((each) => isDone(each) && dataOf<{ retried: boolean }>(each.settled)?.retried).length +
      acts.filter((call) => resultIn(call, 'result') === 'requeued').length
    const open = retries.filter(isUnknown).length + acts.filter(isOpen).length
    const most = least + open + (byEndpoint.get(endpointId)?.length ?? 0)
    const lined = requeues - round.replaysOf(delivery).length
    if (own.length < Math.max(lined, least) || own.length > most)
      yield [_id, `was re-queued ${requeues} times (calls: ${least} to ${most}), the trail has ${own.length}`]
    if (isForgotten(delivery, own, round)) yield [_id, 'was re-queued, and is DEAD without another attempt']
  }
}

function isForgotten({ status, attemptLog }: DeliveryDocument, lines: { at: number }[], { times }: Round) {
  if (status !== 'DEAD' || lines.length === 0) return false
  const requeuedAt = Math.max(...lines.map(({ at }) => at))
  const lastAt = Math.max(...attemptLog.map(({ at }) => at))
  return lastAt + times.skewAround(times.machineTime(requeuedAt)) < requeuedAt
}

const secretKept: Check = function* (round) {
  const secrets = secretsOf(round)
  const seen = new Set<string>()
  for (const { from, line } of round.texts())
    for (const what of foundIn(secrets, from, line)) {
      if (seen.has(from + what)) continue
      seen.add(from + what)
      yield [from, `has ${what}: ${line.slice(0, 200)}`]
    }
}

function secretsOf(round: Round) {
  const { setting, calls } = round
  const payers = [...setting.wallets, ...setting.providerWallets]
  const codes = calls.flatMap((call) => intentsIn(call)).map(({ code }) => code ?? '')
  return {
    signing: new Set([...signingSecrets(round).values()].flatMap(({ secrets }) => secrets)),
    passwords: setting.staff.map(({ password }) => password),
    numbers: new Map([
      ...payers.map(({ phone }) => [phone, 'the phone number of a wallet'] as const),
      ...payers.map(({ pin }) => [pin, 'a PIN'] as const),
    ]),
    ofLogs: new Map([
      ...codes.map((code) => [code, 'a payment code'] as const),
      ...calls.flatMap(phonesIn).map((phone) => [phone, 'the phone number of a customer'] as const),
    ]),
    proofs: new Set(calls.flatMap(({ path }) => /[?&]proof=([^&]+)/.exec(path)?.[1] ?? [])),
  }
}

function phonesIn({ body }: Call): string[] {
  const { payerPhone, customer } = (body ?? {}) as { payerPhone?: string; customer?: { phone?: string } }
  return [payerPhone, customer?.phone].filter((phone) => phone !== undefined)
}

const ofPhones = /^dump\/(wallets|walletmovements|orders)\./
const ofDump = /^(?:code|codeKey|formerCodeKey)$/
const ofLog = /^(?:time|pid|port)$|(?:Ms|Bytes)$/
const numbers = /(?<![\w.-])(?:\+?(?:00)?222)?(\d{6,8})(?![\w-])(?!\.\d)/g

function* foundIn(secrets: ReturnType<typeof secretsOf>, from: string, line: string): Generator<string> {
  const isLog = from.startsWith('log/')
  if (/[sp]k_(?:test|live)_[0-9A-Za-z]{38}/.test(line)) yield 'an API key'
  for (const [text] of line.matchAll(/\b[0-9a-f]{64}\b/g))
    if (secrets.signing.has(text)) yield 'the signing secret of an endpoint'
  for (const [text] of isLog ? line.matchAll(/(?<![\w-])[\w-]{22}(?![\w-])/g) : [])
    if (secrets.proofs.has(text)) yield 'the proof of a payment link'
  for (const password of secrets.passwords) if (line.includes(password)) yield 'a password'
  const isOrder = /^dump\/(deliveries|events)\./.test(from) && line.includes('order.new')
  if (ofPhones.test(from) || isOrder || !/\d{6}/.test(line)) return
  for (const [, number = ''] of wordsIn(line, isLog).matchAll(numbers)) {
    const what = secrets.numbers.get(number) ?? (isLog ? secrets.ofLogs.get(number) : undefined)
    if (what !== undefined) yield what
  }
}

function wordsIn(line: string, isLog: boolean): string {
  const texts: string[] = []
  const keep = (key: string, value: unknown): unknown => {
    const isText = typeof value === 'string' || (isLog && Number.isInteger(value))
    if (isText && !(isLog ? ofLog : ofDump).test(key)) texts.push(String(value))
    return value
  }
  try {
    JSON.parse(line, keep)
  } catch {
    return line
  }
  return texts.join(' ')
}

export const ofTrust = {
  'tenant.apart': tenantApart,
  'right.kept': rightKept,
  'audit.complete': auditComplete,
  'secret.kept': secretKept,
}
