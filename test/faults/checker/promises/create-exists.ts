import { isDeepStrictEqual } from 'node:util'
import type { IntentDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf, intentsIn, type ShownIntent } from '../views/answers.ts'
import { isDone, type Request } from '../views/requests.ts'

/**
 * Every create that was answered is there, in MongoDB and in the auditor's reads and lists, as it was answered and as it was asked for (SPEC
 * 4.1): nothing acknowledged is lost, whoever died.
 */
export const createExists: Judge = function* (round) {
  const read = auditedIn(round)
  for (const request of round.requests) {
    if (request.what !== 'create' || !isDone(request)) continue
    const made = dataOf<ShownIntent>(request.settled as never)
    if (made === null) continue
    // What is still there is held to it, however old it is.
    const isGone = !round.intentOf.has(made.referenceNumber)
    if (isGone && round.mayBeCleaned({ ...made, createdAt: Date.parse(made.createdAt) })) continue
    yield* judgeOne(round, request, made, read)
  }
}

function* judgeOne(round: Round, request: Request, made: ShownIntent, read: Audited): Generator<Broken> {
  const of = made.referenceNumber
  yield* asAsked(round, request, made)
  const stored = round.intentOf.get(of)
  if (stored === undefined)
    return yield { of, says: 'a create was answered 201, and MongoDB does not have it' }
  if (stored.businessId !== request.business || stored.sandbox !== request.sandbox)
    yield { of, says: 'stands under another business or environment than that of the key' }
  for (const [field, was, is] of differences(made, stored))
    yield { of, says: `${field} was answered as ${JSON.stringify(was)} and is ${JSON.stringify(is)}` }
  if (read.references.size > 0 && !read.references.has(of))
    yield { of, says: 'the auditor did not find it by reading' }
  if (read.listed.size > 0 && !read.listed.has(of))
    yield { of, says: "no page of the auditor's lists has it" }
}

interface Audited {
  references: Set<string>
  listed: Set<string>
}

function auditedIn({ calls }: Round): Audited {
  const references = new Set<string>()
  const listed = new Set<string>()
  for (const call of calls) {
    if (call.actor !== 'auditor') continue
    const into = call.what === 'list' ? listed : references
    for (const { referenceNumber } of intentsIn(call)) into.add(referenceNumber)
  }
  return { references, listed }
}

interface Asked {
  amount?: unknown
  amountType?: string
  label?: string | null
  metadata?: Record<string, string>
}

/** What the answer must be, by what was asked for and by the settings. */
function* asAsked(
  { setting }: Round,
  { tries, settled, sandbox }: Request,
  made: ShownIntent,
): Generator<Broken> {
  const of = made.referenceNumber
  const bodies = tries.map(({ body }) => (body ?? {}) as Asked)
  const isAskedFor = bodies.some(
    (asked) =>
      made.amountType === (asked.amountType ?? 'FIXED') &&
      made.amount === (asked.amountType === 'OPEN' ? null : asked.amount) &&
      made.label === (asked.label ?? null) &&
      isDeepStrictEqual(made.metadata, asked.metadata ?? {}),
  )
  if (!isAskedFor)
    yield { of, says: `the answer is not what was asked for: ${JSON.stringify(settled?.body)}` }
  const { intentLifetimeSeconds, codeLifetimeSeconds } = setting.settings
  const lifeMs = Date.parse(made.expiresAt) - Date.parse(made.createdAt)
  if (lifeMs !== intentLifetimeSeconds * 1000) yield { of, says: `expires ${lifeMs} ms after it was made` }
  const codeMs = Date.parse(made.codeExpiresAt ?? '') - Date.parse(made.createdAt)
  if (codeMs !== Math.min(codeLifetimeSeconds, intentLifetimeSeconds) * 1000)
    yield { of, says: `its code expires ${codeMs} ms after it was made` }
  if (made.status !== 'PENDING' || made.currency !== 'MRU' || made.sandbox !== sandbox)
    yield { of, says: `was made as ${made.status} ${made.currency}, sandbox ${made.sandbox}` }
  if (
    !/^PI-[2-9A-HJ-NP-Z]{16}$/.test(of) ||
    !/^\d{6}$/.test(made.code ?? '') ||
    !made.payUrl.endsWith(`/p/${made.shortCode}`)
  )
    yield { of, says: `has a reference, a code or a payUrl of another form: ${made.payUrl}` }
}

/** What never changes, as it was answered and as it is stored. */
const differences = (made: ShownIntent, stored: IntentDocument): [string, unknown, unknown][] =>
  (
    [
      ['shortCode', made.shortCode, stored.shortCode],
      ['code', made.code, stored.code],
      ['amountType', made.amountType, stored.amountType],
      ['amount', made.amount, stored.amountType === 'OPEN' ? null : stored.amount],
      ['label', made.label, stored.label],
      ['metadata', made.metadata, Object.fromEntries(stored.metadata.map(({ key, value }) => [key, value]))],
      ['createdAt', Date.parse(made.createdAt), stored.createdAt],
      ['expiresAt', Date.parse(made.expiresAt), stored.expiresAt],
      ['codeExpiresAt', Date.parse(made.codeExpiresAt ?? ''), stored.codeExpiresAt],
    ] as [string, unknown, unknown][]
  ).filter(([, was, is]) => !isDeepStrictEqual(was, is))
