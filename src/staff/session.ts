import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import type { Staff } from './account.ts'

declare module '../platform/deps.ts' {
  interface Models {
    StaffSession: Model<StaffSession>
  }
}

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
export interface StaffSession {
  _id: string
  /** Stands for the session on pages and in the audit trail. Gives no rights. */
  sessionId: string
  staffName: string
  /** True while the second factor is missing. A pending session gives no rights. */
  isPending: boolean
  /** The account's `epoch` at sign-in (account.ts). */
  epoch: number
  /** Id of the second factor that the session proved, or null if the account had none. */
  factorId: string | null
  /** The client's IP address. */
  from: string
  /** Start of the `User-Agent` header. */
  client: string
  createdAt: Date
  /** Of the last request, at most 15 minutes too early. */
  lastSeenAt: Date
  endedAt: Date | null
  expiresAt: Date
}

export const staffSessions: Collection = {
  name: 'staffsessions',
  fields: {
    _id: String,
    sessionId: String,
    staffName: String,
    isPending: Boolean,
    epoch: Number,
    factorId: String,
    from: String,
    client: String,
    createdAt: Date,
    lastSeenAt: Date,
    endedAt: Date,
    expiresAt: Date,
  },
  indexes: [
    { name: 'removal', key: { createdAt: 1 }, expireAfterSeconds: removedAfterSeconds },
    { name: 'byName', key: { staffName: 1, createdAt: -1 } },
  ],
}

/** Its hash is the `_id` of a pending session. */
export const pendingText = (token: string): string => `pending.${token}`

/** What an account's valid sessions have in common. All others have ended. */
export const validSessions = ({ epoch, secondFactor }: Pick<Staff, 'epoch' | 'secondFactor'>) => ({
  epoch,
  factorId: secondFactor?.id ?? null,
  isPending: false,
  endedAt: null,
})
