import { randomBytes } from 'node:crypto'
import type { By } from '../audit/audit-event.ts'
import type { AuditedAct } from '../audit/audited.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { newId } from '../security/ids.ts'
import type { Staff } from './account.ts'
import { pendingLifetimeMs, pendingText, type StaffSession, sessionLifetimeMs } from './session.ts'

type OpenDeps = Pick<Deps, 'StaffSession' | 'secrets' | 'now'>

/** The client that signs in. */
export interface Client {
  ip: string
  /** The `User-Agent` header, or an empty string. */
  userAgent: string
}

const maxClientLength = 200

/** The account's owner, who signs in. */
export const byOwner = (name: string, ip: string): By => ({
  actor: { kind: 'staff', name, from: ip },
  reason: null,
})

/**
 * Opens a session and returns its token, which only the cookie contains. `after` becomes part of the audit line.
 */
export async function openSession(
  deps: OpenDeps,
  { session: transaction, add }: Pick<AuditedAct, 'session' | 'add'>,
  staff: Staff,
  client: Client,
  after: Record<string, unknown> | null,
): Promise<string> {
  const { token, session } = draft(deps, staff, client, false)
  await nativeCollection(deps.StaffSession).insertOne(session, { session: transaction })
  await add({ act: 'staff.signed-in', subject: staff._id, businessId: null, after })
  return token
}

/** Opens a pending session, which gives no rights, and returns its token. */
export async function openPendingSession(deps: OpenDeps, staff: Staff, client: Client): Promise<string> {
  const { token, session } = draft(deps, staff, client, true)
  await nativeCollection(deps.StaffSession).insertOne(session)
  return token
}

function draft(
  deps: OpenDeps,
  { _id: staffName, epoch, secondFactor }: Staff,
  { ip, userAgent }: Client,
  isPending: boolean,
): { token: string; session: StaffSession } {
  const token = randomBytes(32).toString('base64url')
  const now = deps.now()
  const lifetimeMs = isPending ? pendingLifetimeMs : sessionLifetimeMs
  const session: StaffSession = {
    _id: deps.secrets.hash(isPending ? pendingText(token) : token),
    sessionId: newId(),
    staffName,
    isPending,
    epoch,
    factorId: isPending ? null : (secondFactor?.id ?? null),
    from: ip,
    client: Array.from(userAgent.toWellFormed()).slice(0, maxClientLength).join(''),
    createdAt: now,
    lastSeenAt: now,
    endedAt: null,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  }
  return { token, session }
}
