import { timingSafeEqual } from 'node:crypto'
import type { mongo } from 'mongoose'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { unlessLocked } from '../mongo/transaction.ts'
import type { Role, Staff } from './account.ts'
import { requiresSecondFactor } from './permissions.ts'
import { pendingText, type StaffSession } from './session.ts'

/** The CSRF tokens of a session, or of a sign-in that still needs the second factor. */
export interface OwnForms {
  /** The CSRF token that every form contains, so that no other site can submit a form. */
  csrf: string
  /**
   * All CSRF tokens that are valid for this session. While SECRET_KEY is being rotated, a form that another process
   * created may contain a token other than `csrf`.
   */
  csrfs: string[]
}

/** A signed-in member of staff. */
export interface SignedIn extends OwnForms {
  name: string
  role: Role
  /** The id of this session on pages and in the audit trail. */
  sessionId: string
  /**
   * If true, the account must first add a second factor, and may until then only open that page or sign out
   * (permissions.ts).
   */
  mustAddFactor: boolean
  /** Throws an error unless the session is still valid in this transaction. */
  expectValid(transaction: mongo.ClientSession): Promise<void>
}

type OpenDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>

/** The time of the last request is stored only if the stored time is older than this. */
const seenEveryMs = 15 * 60_000

/**
 * Returns the member of staff with this session token, or null if the session does not exist or has ended. Every call
 * reads from MongoDB, so that a session ends in all processes at the same time.
 */
export async function findSession(
  deps: OpenDeps & Pick<Deps, 'config' | 'transactions'>,
  token: string,
): Promise<SignedIn | null> {
  const found = await findOpen(deps, token, { isPending: false })
  if (found === null) return null
  const { _id, sessionId, lastSeenAt } = found.session
  const { _id: name, role, secondFactor } = found.staff
  const now = deps.now()
  const seenBefore = new Date(now.getTime() - seenEveryMs)
  if (lastSeenAt <= seenBefore)
    await unlessLocked(deps, (session) =>
      nativeCollection(deps.StaffSession).updateOne(
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
    ...ownForms(deps, token),
    async expectValid(transaction) {
      if ((await findOpen(deps, token, { isPending: false }, transaction)) === null)
        throw refuse('API_ACCESS_NOT_ACTIVE')
    },
  }
}

/** Returns the session with this token and its account, unless the session has ended. */
export async function findOpen(
  deps: OpenDeps,
  token: string,
  { isPending }: Pick<StaffSession, 'isPending'>,
  transaction: mongo.ClientSession | null = null,
): Promise<{ session: StaffSession; staff: Staff } | null> {
  const _id = { $in: deps.secrets.hashes(isPending ? pendingText(token) : token) }
  // Sessions remain stored for a while after they have ended.
  const open = { _id, isPending, endedAt: null, expiresAt: { $gt: deps.now() } }
  const session = await deps.StaffSession.findOne(open).session(transaction).lean<StaffSession | null>()
  if (session === null) return null
  const { staffName, epoch, factorId } = session
  const account = { _id: staffName, epoch, disabledAt: null }
  const staff = await deps.Staff.findOne(account).session(transaction).lean<Staff | null>()
  const isProved = isPending || factorId === (staff?.secondFactor?.id ?? null)
  return staff === null || !isProved ? null : { session, staff }
}

/** Returns the CSRF tokens of the session with this token. */
export function ownForms({ secrets }: Pick<Deps, 'secrets'>, token: string): OwnForms {
  const csrfs = secrets.hashes(`csrf.${token}`)
  return { csrf: csrfs[0] ?? '', csrfs }
}

/** Returns whether a form contains a valid CSRF token for its session. */
export function isOwnForm(session: OwnForms, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}
