import { collection, type Stored } from '../mongo/declare.ts'
import { date, flag, orNull, secret, text, whole } from '../mongo/fields.ts'
import type { Staff } from './account.ts'

/** How long a session lasts after sign-in. Activity does not extend the session. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000
/** How long a person has to enter the code of the second factor after the password. */
export const pendingLifetimeMs = 5 * 60 * 1000

/** A session's document is removed this long after sign-in. Until then, pages show when the account last signed in. */
const removedAfterSeconds = 30 * 86_400

/**
 * A staff member's session. `_id` is the hash of the token in the cookie. A pending session, which only the password
 * has opened, has the hash of a different text (pendingText), so that its token never works as that of a session.
 */
export const staffSessions = collection({
  name: 'staffsessions',
  kept: 'until it expires, 30 days after sign-in',
  fields: {
    _id: secret(text),
    /** Identifies the session on pages and in the audit trail. It gives no rights. */
    sessionId: text,
    staffName: text,
    /** True if the second factor is still missing. A pending session gives no rights. */
    isPending: flag,
    epoch: whole,
    /** The second factor that the session proved, or null if the account had none. */
    factorId: orNull(text),
    from: text,
    /** The start of the client's `User-Agent` header. */
    client: text,
    createdAt: date,
    /** The time of the last request, at most 15 minutes too early. */
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

/** The text whose hash is the `_id` of a pending session. */
export const pendingText = (token: string): string => `pending.${token}`

/** The values that an account's valid sessions share. All other sessions of the account have ended. */
export const validSessions = ({ epoch, secondFactor }: Pick<Staff, 'epoch' | 'secondFactor'>) => ({
  epoch,
  factorId: secondFactor?.id ?? null,
  isPending: false,
  endedAt: null,
})
