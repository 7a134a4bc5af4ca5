import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { mongo } from 'mongoose'
import { type AuditContext, type AuditedDeps, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import { writeIfUnlocked } from '../mongo/transaction.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Author } from '../security/actor.ts'
import { type Account, type AccountKind, type AccountSession, type Accounts, nameOf } from './account.ts'

/** Activity doesn't extend a session. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000
/** Time to enter the code after the password. */
export const pendingSessionMs = 5 * 60 * 1000

const hashedText = (token: string, isPending: boolean): string => (isPending ? `pending.${token}` : token)

const openFilter = (isPending: boolean, now: Date) => ({ isPending, endedAt: null, expiresAt: { $gt: now } })

type OpenDeps = Accounts & Pick<Deps, 'secrets' | 'now'>

export interface SignInClient {
  ip: string
  userAgent: string
}

const maxClientLength = 200

export const byAccount = (
  { accountKind }: Pick<Accounts, 'accountKind'>,
  id: string,
  ip: string,
): Author => ({
  actor: { kind: accountKind.noun, name: id, from: ip },
  reason: null,
})

/** Without `act`, the session is pending. */
export async function openSession(
  deps: OpenDeps,
  act: AuditContext | null,
  { _id: accountId, epoch, secondFactor }: Account,
  { ip, userAgent }: SignInClient,
  after: Record<string, unknown> | null = null,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const isPending = act === null
  const now = deps.now()
  const expiresAt = new Date(now.getTime() + (isPending ? pendingSessionMs : sessionLifetimeMs))
  const client = Array.from(userAgent.toWellFormed()).slice(0, maxClientLength).join('')
  const session: AccountSession = {
    _id: deps.secrets.hash(hashedText(token, isPending)),
    sessionId: newId(),
    ...ownedBy(deps, accountId),
    isPending,
    epoch,
    factorId: isPending ? null : (secondFactor?.id ?? null),
    from: ip,
    client,
    createdAt: now,
    lastSeenAt: now,
    endedAt: null,
    expiresAt,
  }
  await rawCollection(deps.AccountSession).insertOne(session, act ? { session: act.session } : {})
  await act?.add({ act: `${deps.accountKind.noun}.signed-in`, subject: accountId, businessId: null, after })
  return token
}

interface OwnForms {
  /** Every form contains this token, so no other site can submit one. */
  csrf: string
  /** While SECRET_KEY is being rotated, processes may use different tokens. */
  csrfs: string[]
}

export interface SignedIn extends OwnForms {
  id: string
  name: string
  sessionId: string
  provedAt: Date
  /** Throws unless the session is still valid in this transaction. */
  expectValid(transaction: mongo.ClientSession): Promise<void>
}

const seenEveryMs = 15 * 60_000

/** Not cached, so that a session ends in all processes at once. */
export async function findSession(
  deps: OpenDeps & Pick<Deps, 'transactions'>,
  token: string,
): Promise<(SignedIn & { account: Account }) | null> {
  const found = await findOpenSession(deps, token, false)
  if (found === null) return null
  const { session: stored, account, ...forms } = found
  const { _id, sessionId, lastSeenAt, createdAt: provedAt } = stored
  const now = deps.now()
  const seenBefore = new Date(now.getTime() - seenEveryMs)
  if (lastSeenAt <= seenBefore)
    await writeIfUnlocked(deps, (session) =>
      rawCollection(deps.AccountSession).updateOne(
        { _id, lastSeenAt: { $lte: seenBefore } },
        { $set: { lastSeenAt: now } },
        { session },
      ),
    )
  return {
    id: account._id,
    name: nameOf(deps, account),
    account,
    sessionId,
    provedAt,
    ...forms,
    async expectValid(transaction) {
      if (!(await findOpenSession(deps, token, false, transaction))) throw refuse('API_ACCESS_NOT_ACTIVE')
    },
  }
}

export type OpenSession = OwnForms & { session: AccountSession; account: Account }

export async function findOpenSession(
  deps: OpenDeps,
  token: string,
  isPending: boolean,
  transaction: mongo.ClientSession | null = null,
): Promise<OpenSession | null> {
  const hashed = hashedText(token, isPending)
  const open = { _id: { $in: deps.secrets.hashes(hashed) }, ...openFilter(isPending, deps.now()) }
  const session = await deps.AccountSession.findOne(open)
    .session(transaction)
    .lean<(AccountSession & Partial<Record<AccountKind['owner'], string>>) | null>()
  if (session === null) return null
  const { epoch, factorId } = session
  const owner = { _id: session[deps.accountKind.owner] ?? '', epoch, disabledAt: null }
  const account = await deps.Account.findOne(owner).session(transaction).lean<Account | null>()
  const isProved = isPending || factorId === (account?.secondFactor?.id ?? null)
  if (account === null || !isProved) return null
  const csrfs = deps.secrets.hashes(`csrf.${hashed}`)
  return { session, account, csrf: csrfs[0] ?? '', csrfs }
}

export function hasValidCsrf(session: OwnForms, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}

type ListDeps = Accounts & Pick<Deps, 'now'>
type EndDeps = Pick<Accounts, 'AccountSession' | 'accountKind'> & AuditedDeps

const maxListed = 100

export async function listSessions(deps: ListDeps, id: string): Promise<AccountSession[]> {
  const account = await deps.Account.findOne({ _id: id, disabledAt: null }).lean<Account | null>()
  if (account === null) return []
  const proved = { epoch: account.epoch, factorId: account.secondFactor?.id ?? null }
  const valid = { ...ownedBy(deps, id), ...proved, ...openFilter(false, deps.now()) }
  return deps.AccountSession.find(valid).sort({ createdAt: -1 }).limit(maxListed).lean<AccountSession[]>()
}

const ownedBy = ({ accountKind }: Pick<Accounts, 'accountKind'>, id: string) => ({ [accountKind.owner]: id })

export const endSession = async (
  deps: EndDeps,
  { id, sessionId }: Pick<SignedIn, 'id' | 'sessionId'>,
  by: Author,
): Promise<boolean> => (await end(deps, id, [sessionId], by)) === 1

export async function endOtherSessions(
  deps: EndDeps & Accounts,
  { id, keptId }: { id: string; keptId: string },
  by: Author,
): Promise<number> {
  for (let ended = 0; ; ) {
    const ids = (await listSessions(deps, id)).map(({ sessionId }) => sessionId)
    const others = ids.filter((each) => each !== keptId)
    if (others.length === 0) return ended
    ended += await end(deps, id, others, by)
  }
}

const end = (deps: EndDeps, accountId: string, ids: string[], by: Author): Promise<number> =>
  runAudited(deps, { documents: [accountId], by }, async ({ session, at, add }) => {
    const sessions = rawCollection(deps.AccountSession)
    const valid = { ...ownedBy(deps, accountId), sessionId: { $in: ids }, ...openFilter(false, at) }
    const found = await sessions.find(valid, { session, projection: { sessionId: 1 } }).toArray()
    const ended = { _id: { $in: found.map(({ _id }) => _id) } }
    await sessions.updateMany(ended, { $set: { endedAt: at } }, { session })
    const act = `${deps.accountKind.noun}.session-ended` as const
    const about = { act, subject: accountId, businessId: null }
    await add(...found.map(({ sessionId }) => ({ ...about, after: { session: sessionId } })))
    return found.length
  })

/** Maps accounts' ids to their last sign-in within 30 days. */
export async function findLastSignIns(
  deps: Pick<Accounts, 'AccountSession' | 'accountKind'>,
  ids: readonly string[],
) {
  const { owner } = deps.accountKind
  const found = await deps.AccountSession.aggregate<{ _id: string; at: Date }>([
    { $match: { [owner]: { $in: ids }, isPending: false } },
    { $group: { _id: `$${owner}`, at: { $max: '$createdAt' } } },
  ]).exec()
  return new Map(found.map(({ _id, at }) => [_id, at]))
}

export const signOut = (deps: EndDeps & Pick<Deps, 'secrets'>, token: string, by: Author): Promise<void> =>
  runAudited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const { modifiedCount } = await rawCollection(deps.AccountSession).updateOne(
      { _id: { $in: [...deps.secrets.hashes(token)] }, endedAt: null },
      { $set: { endedAt: at } },
      { session },
    )
    const act = `${deps.accountKind.noun}.signed-out` as const
    if (modifiedCount > 0) await add({ act, subject: by.actor.name, businessId: null })
  })
