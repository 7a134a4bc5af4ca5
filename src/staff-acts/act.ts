import type { AuditAction } from '../audit/acts.ts'
import type { Deps, Models } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import type { SignedInStaff } from '../staff/account.ts'
import type { StaffPermission } from '../staff/permissions.ts'
import type { PageField } from './shown.ts'

export type FormValues = Record<string, string>
/** The key `form` is for errors that apply to the whole form. */
export type FormFaults = Record<string, string>

const effectNames = { closes: 'Closes', opens: 'Opens', changes: 'Changes', staysOpen: 'Stays open' } as const

/**
 * Sentences shown on pages before the confirmation, and in commands' help.
 * `undo` names the action that reverses this one.
 */
type ActEffects = Partial<Record<keyof typeof effectNames | 'undo' | 'undoNote', string>>

export const listEffects = (effects: ActEffects): [name: string, sentence: string][] =>
  Object.entries(effectNames).flatMap(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? [] : [[name, sentence]]
  })

/** A field without a label is hidden. */
export interface ActionField<Found> {
  label: string | null
  hint?: string
  option?: string
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
 * The page shows `once`, redirects to `to`, or returns to the object.
 * Null means that the object has changed in the meantime.
 */
export type ActionResult = { done: object; once?: OneTimeSecret; to?: string } | { faults: FormFaults } | null

/**
 * Defines an action for its page, command, audit line and tests. `find` and
 * `run` import lazily, because a command's help must not load MongoDB's driver.
 */
export interface StaffAction<Found, Needs = ActionDeps> {
  label: string
  /** The object's name follows this heading, e.g. `Suspend business`. */
  title: string
  description: string
  command?: string | null
  audit: AuditAction | readonly AuditAction[]
  /** Takes something away, so pages show it separately and in red. */
  isDanger?: boolean
  isReasonOptional?: boolean
  effects: ActEffects
  fields?: Record<string, ActionField<Found>>
  /** Returns HTML. Throws VALIDATION_ERROR if the values are invalid. */
  details?(deps: Needs, found: Found, values: FormValues): Promise<string>
  obstacle?(found: Found): string | null
  faults?(values: FormValues): FormFaults
  run(deps: Needs, found: Found, by: Author, values: FormValues): Promise<ActionResult>
  done?: string
  /** Actions without this function can be repeated. */
  isDone?(found: Found): boolean
  already?: string
}

export type ActionDeps = Models & Pick<Deps, 'config' | 'now' | 'secrets' | 'slowHash' | 'transactions'>

/** An action's page is at `path`, followed by the action's name. */
export interface ActionGroup<Found, Needs = ActionDeps> {
  noun: string
  object?: string
  /** A path below `/admin`, in which `:id` stands for the object's id. */
  path: string
  permission: StaffPermission
  exampleId?: string
  find(deps: Needs, id: string): Promise<Found | null>
  nameOf(found: Found): string
  facts: readonly PageField<Found>[]
  /** Says why this member of staff can't perform any of the actions. */
  obstacle?(found: Found, staff: SignedInStaff): string | null
  /** Returns null if the error is unexpected. */
  refusalText?(error: unknown): Promise<string | null>
  acts: Record<string, StaffAction<Found, Needs>>
}

/** Says why the action isn't possible now, or returns null. */
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
