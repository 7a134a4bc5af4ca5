import type { AuditAction } from '../audit/acts.ts'
import type { Deps, Models } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import type { StaffPermission } from '../staff/permissions.ts'
import type { SignedInStaff } from '../staff/staff-sessions.ts'
import type { PageField } from './shown.ts'

export type FormValues = Record<string, string>
/** Error messages by field. The key `form` is for errors of the whole form. */
export type FormFaults = Record<string, string>

const effectNames = { closes: 'Closes', opens: 'Opens', changes: 'Changes', staysOpen: 'Stays open' } as const

/**
 * What an action does, as sentences. Pages show them before the confirmation, commands in their help. `undo` names
 * the action that reverses this one. If there is none, `undoNote` explains why.
 */
type ActEffects = Partial<Record<keyof typeof effectNames | 'undo' | 'undoNote', string>>

export const listEffects = (effects: ActEffects): [name: string, sentence: string][] =>
  Object.entries(effectNames).flatMap(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? [] : [[name, sentence]]
  })

/** A field of the confirmation form, besides the reason. A field without a label is hidden. */
export interface ActionField<Found> {
  label: string | null
  hint?: string
  option?: string
  /** The allowed values, unless the field is free text. */
  choices?: readonly string[]
  isRequired?: boolean
  maxLength?: number
  /** On the command line, this word stands for an empty field. */
  emptyWord?: string
  current(found: Found): string
}

export interface OneTimeSecret {
  title: string
  name: string
  note: string
  text: string
  backPath: string
}

/**
 * The command prints `done`. The page shows `once`, redirects to `to`, or returns to the object's page with a
 * notice. Null means that the object has changed, so the action is no longer possible.
 */
export type ActionResult = { done: object; once?: OneTimeSecret; to?: string } | { faults: FormFaults } | null

/**
 * Defines an action for its page, command, audit line and tests. `find` and `run` import modules only when
 * they're called, because a command's help must not wait for MongoDB's driver.
 */
export interface StaffAction<Found, Needs = ActionDeps> {
  /** Text of the link and the button, such as `Suspend`. */
  label: string
  /** Page heading, such as `Suspend business`. The object's name follows it. */
  title: string
  description: string
  command?: string | null
  audit: AuditAction | readonly AuditAction[]
  /** Whether the action takes something away from a person. Pages then show it separately, in red. */
  isDanger?: boolean
  isReasonOptional?: boolean
  effects: ActEffects
  fields?: Record<string, ActionField<Found>>
  /** Returns HTML about what exactly will happen. Throws VALIDATION_ERROR if the values are invalid. */
  details?(deps: Needs, found: Found, values: FormValues): Promise<string>
  obstacle?(found: Found): string | null
  faults?(values: FormValues): FormFaults
  run(deps: Needs, found: Found, by: Author, values: FormValues): Promise<ActionResult>
  done?: string
  /** Whether the action has already taken effect. If this function is missing, the action can be repeated. */
  isDone?(found: Found): boolean
  already?: string
}

export type ActionDeps = Models & Pick<Deps, 'config' | 'now' | 'secrets' | 'slowHash' | 'transactions'>

/** Actions on one kind of object. The path of an action's page ends in its name. */
export interface ActionGroup<Found, Needs = ActionDeps> {
  noun: string
  object?: string
  /** Path of the object's page below `/admin`. `:id` stands for the object's id. */
  path: string
  permission: StaffPermission
  exampleId?: string
  find(deps: Needs, id: string): Promise<Found | null>
  nameOf(found: Found): string
  facts: readonly PageField<Found>[]
  /** Returns why this member of staff can't perform any of the actions, or null. */
  obstacle?(found: Found, staff: SignedInStaff): string | null
  /** Returns the form's message for an error, or null if the error is unexpected. */
  refusalText?(error: unknown): Promise<string | null>
  acts: Record<string, StaffAction<Found, Needs>>
}

/** Returns a sentence that says why the action isn't possible now, or null. */
export function findObstacle<Found>(
  group: Pick<ActionGroup<Found>, 'obstacle'>,
  act: Pick<StaffAction<Found>, 'isDone' | 'already' | 'obstacle'>,
  found: Found,
  staff: SignedInStaff,
) {
  const obstacle = group.obstacle?.(found, staff) ?? null
  if (obstacle !== null) return obstacle
  if (act.isDone?.(found)) return `Nothing to do: ${act.already}.`
  return act.obstacle?.(found) ?? null
}
