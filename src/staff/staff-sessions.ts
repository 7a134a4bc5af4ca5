import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { mongo } from 'mongoose'
import { type AuditContext, type AuditedDeps, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, orNull, secret, text, whole } from '../mongo/fields.ts'
import { writeIfUnlocked } from '../mongo/transaction.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Author } from '../security/actor.ts'
import type { Staff } from './account.ts'
import { requiresSecondFactor, type StaffRole } from './permissions.ts'

/** Activity doesn't extend a session. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000
/** Time to enter the code after the password. */
export const pendingSessionMs = 5 * 60 * 1000

/** How long pages show the last sign-in. */
const removedAfterSeconds = 30 * 86_400

export const staffSessions = declareCollection({
  name: 'staffsessions',
  kept: 'until it expires, 30 days after sign-in',
  fields: {
    /** While the session is pending, the hashed token has a prefix. */
    _id: secret(text),
    sessionId: text,
    staffName: text,
    /** If true, the session grants no rights until a code is entered. */
    isPending: flag,
    epoch: whole,
    /** Null if the account had no second factor. */
    factorId: orNull(text),
    from: text,
    client: text,
    createdAt: date,
    /** Up to 15 minutes behind, because most requests don't update it. */
    lastSeenAt: date,
    endedAt: orNull(date),
    expiresAt: date,
  },
  indexes: [
    { name: 'removal', key: { createdAt: 1 }, expireAfterSeconds: removedAfterSeconds },
    { name: 'byName', key: { staffName: 1, createdAt: -1 } },
  ],
})
export type StaffSession = Stored<typeof staffSessions>

const hashedText = (token: string, isPending: boolean): string => (isPending ? `pending.${token}` : token)

const openFilter = (isPending: boolean, now: Date) => ({ isPending, endedAt: null, expiresAt: { $gt: now } })

type OpenDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>

export interface SignInClient {
  ip: string
  userAgent: string
}

const maxClientLength = 200

export function byStaffMember(name: string, ip: string): Author {
  return { actor: { kind: 'staff', name, from: ip }, reason: null }
}

/** Without `act`, the session is pending. */
export async function openSession(
  deps: OpenDeps,
  act: AuditContext | null,
  { _id: staffName, epoch, secondFactor }: Staff,
  { ip, userAgent }: SignInClient,
  after: Record<string, unknown> | null = null,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const isPending = act === null
  const now = deps.now()
  const expiresAt = new Date(now.getTime() + (isPending ? pendingSessionMs : sessionLifetimeMs))
  const client = Array.from(userAgent.toWellFormed()).slice(0, maxClientLength).join('')
  const session: StaffSession = {
    _id: deps.secrets.hash(hashedText(token, isPending)),
    sessionId: newId(),
    staffName,
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
  await rawCollection(deps.StaffSession).insertOne(session, act ? { session: act.session } : {})
  await act?.add({ act: 'staff.signed-in', subject: staffName, businessId: null, after })
  return token
}

interface OwnForms {
  /** Every form contains this token, so no other site can submit one. */
  csrf: string
  /** While SECRET_KEY is being rotated, processes may use different tokens. */
  csrfs: string[]
}

export interface SignedInStaff extends OwnForms {
  name: string
  role: StaffRole
  sessionId: string
  /** If true, the session may only add a second factor or sign out. */
  mustAddFactor: boolean
  /** Throws unless the session is still valid in this transaction. */
  expectValid(transaction: mongo.ClientSession): Promise<void>
}

const seenEveryMs = 15 * 60_000

/** Not cached, so that a session ends in all processes at once. */
export async function findSession(
  deps: OpenDeps & Pick<Deps, 'config' | 'transactions'>,
  token: string,
): Promise<SignedInStaff | null> {
  const found = await findOpenSession(deps, token, false)
  if (found === null) return null
  const { session: stored, staff, ...forms } = found
  const { _id, sessionId, lastSeenAt } = stored
  const { _id: name, role, secondFactor } = staff
  const now = deps.now()
  const seenBefore = new Date(now.getTime() - seenEveryMs)
  if (lastSeenAt <= seenBefore)
    await writeIfUnlocked(deps, (session) =>
      rawCollection(deps.StaffSession).updateOne(
        { _id, lastSeenAt: { $lte: seenBefore } },
        { $set: { lastSeenAt: now } },
        { session },
      ),
    )
  return {
    name,
    role,
    sessionId,
    mustAddFactor: secondFactor === null && requiresSecondFactor(deps.config, role),
    ...forms,
    async expectValid(transaction) {
      if (!(await findOpenSession(deps, token, false, transaction))) throw refuse('API_ACCESS_NOT_ACTIVE')
    },
  }
}

export type OpenSession = OwnForms & { session: StaffSession; staff: Staff }

export async function findOpenSession(
  deps: OpenDeps,
  token: string,
  isPending: boolean,
  transaction: mongo.ClientSession | null = null,
): Promise<OpenSession | null> {
  const hashed = hashedText(token, isPending)
  const open = { _id: { $in: deps.secrets.hashes(hashed) }, ...openFilter(isPending, deps.now()) }
  const session = await deps.StaffSession.findOne(open).session(transaction).lean<StaffSession | null>()
  if (session === null) return null
  const { staffName, epoch, factorId } = session
  const account = { _id: staffName, epoch, disabledAt: null }
  const staff = await deps.Staff.findOne(account).session(transaction).lean<Staff | null>()
  const isProved = isPending || factorId === (staff?.secondFactor?.id ?? null)
  if (staff === null || !isProved) return null
  const csrfs = deps.secrets.hashes(`csrf.${hashed}`)
  return { session, staff, csrf: csrfs[0] ?? '', csrfs }
}

export function hasValidCsrf(session: OwnForms, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}

type ListDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'now'>
type EndDeps = Pick<Deps, 'StaffSession'> & AuditedDeps

const maxListed = 100

export async function listSessions(deps: ListDeps, name: string): Promise<StaffSession[]> {
  const staff = await deps.Staff.findOne({ _id: name, disabledAt: null }).lean<Staff | null>()
  if (staff === null) return []
  const proved = { epoch: staff.epoch, factorId: staff.secondFactor?.id ?? null }
  const valid = { staffName: name, ...proved, ...openFilter(false, deps.now()) }
  return deps.StaffSession.find(valid).sort({ createdAt: -1 }).limit(maxListed).lean<StaffSession[]>()
}

export const endSession = async (
  deps: EndDeps,
  { name, sessionId }: { name: string; sessionId: string },
  by: Author,
): Promise<boolean> => (await end(deps, name, [sessionId], by)) === 1

export async function endOtherSessions(
  deps: EndDeps & Pick<Deps, 'Staff'>,
  { name, keptId }: { name: string; keptId: string },
  by: Author,
): Promise<number> {
  for (let ended = 0; ; ) {
    const ids = (await listSessions(deps, name)).map(({ sessionId }) => sessionId)
    const others = ids.filter((id) => id !== keptId)
    if (others.length === 0) return ended
    ended += await end(deps, name, others, by)
  }
}

const end = (deps: EndDeps, staffName: string, ids: string[], by: Author): Promise<number> =>
  runAudited(deps, { documents: [staffName], by }, async ({ session, at, add }) => {
    const sessions = rawCollection(deps.StaffSession)
    const valid = { staffName, sessionId: { $in: ids }, ...openFilter(false, at) }
    const found = await sessions.find(valid, { session, projection: { sessionId: 1 } }).toArray()
    const ended = { _id: { $in: found.map(({ _id }) => _id) } }
    await sessions.updateMany(ended, { $set: { endedAt: at } }, { session })
    const about = { act: 'staff.session-ended', subject: staffName, businessId: null } as const
    await add(...found.map(({ sessionId }) => ({ ...about, after: { session: sessionId } })))
    return found.length
  })

/** Maps account names to their last sign-in within 30 days. */
export async function findLastSignIns(deps: Pick<Deps, 'StaffSession'>, names: readonly string[]) {
  const found = await deps.StaffSession.aggregate<{ _id: string; at: Date }>([
    { $match: { staffName: { $in: names }, isPending: false } },
    { $group: { _id: '$staffName', at: { $max: '$createdAt' } } },
  ]).exec()
  return new Map(found.map(({ _id, at }) => [_id, at]))
}

export const signOut = (deps: EndDeps & Pick<Deps, 'secrets'>, token: string, by: Author): Promise<void> =>
  runAudited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const { modifiedCount } = await rawCollection(deps.StaffSession).updateOne(
      { _id: { $in: [...deps.secrets.hashes(token)] }, endedAt: null },
      { $set: { endedAt: at } },
      { session },
    )
    if (modifiedCount > 0) await add({ act: 'staff.signed-out', subject: by.actor.name, businessId: null })
  })
