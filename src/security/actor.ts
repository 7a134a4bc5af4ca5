import type { mongo } from 'mongoose'
import { oneOf, orNull, part, text, type ValueOfField } from '../mongo/fields.ts'

export const actorFields = part({
  kind: oneOf<'staff' | 'operator' | 'merchant' | 'person'>(),
  /** The name of a staff account or OS user, or the id of an API key or person. */
  name: text,
  /** An IP address, or the host on which an operator ran the command. */
  from: orNull(text),
})
export type Actor = ValueOfField<typeof actorFields>

export interface Author {
  actor: Actor
  reason: string | null
  /** Set only for merchants and their people. */
  sandbox?: boolean
  /** Throws if the actor is no longer signed in. Never stored. */
  expectValid?(transaction: mongo.ClientSession): Promise<void>
}
