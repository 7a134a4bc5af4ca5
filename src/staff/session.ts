import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, orNull, secret, text, whole } from '../mongo/fields.ts'
import type { Staff } from './account.ts'

/** Activity doesn't extend a session. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000
/** How long a person has to enter the code of the second factor after the password. */
export const pendingLifetimeMs = 5 * 60 * 1000

/** After sign-in. Until then, pages show when the account last signed in. */
const removedAfterSeconds = 30 * 86_400

/**
 * `_id` is the hash of the token in the cookie. A pending session, which only the password has opened, has the hash of
 * a different text (pendingText), so that its token never works as that of a session.
 */
export const staffSessions = declareCollection({
  name: 'staffsessions',
  kept: 'until it expires, 30 days after sign-in',
  fields: {
    _id: secret(text),
    /** Stands for the session on pages and in the audit trail. Gives no rights. */
    sessionId: text,
    staffName: text,
    /** True while the second factor is missing. A pending session gives no rights. */
    isPending: flag,
    epoch: whole,
    /** Null if the account had no second factor. */
    factorId: orNull(text),
    from: text,
    /** Start of the `User-Agent` header. */
    client: text,
    createdAt: date,
    /** Of the last request, at most 15 minutes too early. */
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

/** Its hash is the `_id` of a pending session. */
export const pendingText = (token: string): string => `pending.${token}`

/** What an account's valid sessions have in common. All others have ended. */
export const validSessions = ({ epoch, secondFactor }: Pick<Staff, 'epoch' | 'secondFactor'>) => ({
  epoch,
  factorId: secondFactor?.id ?? null,
  isPending: false,
  endedAt: null,
})
