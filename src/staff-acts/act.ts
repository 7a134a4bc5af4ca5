import type { Act } from '../audit/acts.ts'
import type { Deps, Models } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import type { Permission } from '../staff/permissions.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import type { PageField } from './shown.ts'

export type FormValues = Record<string, string>
/** Error messages by field. `form` is about the whole form. */
export type FormFaults = Record<string, string>

/** Sentences that pages show before the confirmation, and the command line in its help. */
export interface ActEffects {
  closes?: string
  opens?: string
  changes?: string
  staysOpen?: string
  /** The action that reverses this one. If there is none, `undoNote` explains why. */
  undo?: string
  undoNote?: string
}

const effectNames = { closes: 'Closes', opens: 'Opens', changes: 'Changes', staysOpen: 'Stays open' } as const

export const namedEffects = (effects: ActEffects): [name: string, sentence: string][] =>
  Object.entries(effectNames).flatMap(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? [] : [[name, sentence]]
  })

/** A field of the confirmation form, besides the reason. Without a label, it's hidden. */
export interface ActField<Found> {
  label: string | null
  hint?: string
  option?: string
  /** For a field that isn't free text. */
  choices?: readonly string[]
  isRequired?: boolean
  maxLength?: number
  /** Stands for an empty field on the command line. */
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
 * The command prints `done`. The page shows `once`, goes on to `to`, or returns to the object with a notice. Null means
 * that the object has changed, so the action is no longer possible.
 */
export type ActResult = { done: object; once?: OneTimeSecret; to?: string } | { faults: FormFaults } | null

/**
 * The page, the command, the audit line and the tests of an action come from this entry. `find` and `run` import what
 * they use when they run, because a help text must not wait for MongoDB's driver.
 */
export interface StaffAct<Found, Needs = ActDeps> {
  /** For the link and the button, such as `Suspend`. */
  label: string
  /** Heading of the page, in front of the object's name, such as `Suspend business`. */
  title: string
  description: string
  command?: string | null
  audit: Act | readonly Act[]
  /** Takes something away from a person. Such actions are set apart and shown in red. */
  isDanger?: boolean
  isReasonOptional?: boolean
  effects: ActEffects
  fields?: Record<string, ActField<Found>>
  /** More about what will happen, as HTML. Throws VALIDATION_ERROR if the values are invalid. */
  details?(deps: Needs, found: Found, values: FormValues): Promise<string>
  obstacle?(found: Found): string | null
  faults?(values: FormValues): FormFaults
  run(deps: Needs, found: Found, by: By, values: FormValues): Promise<ActResult>
  done: string
  /** Whether the notice is still true, so there's nothing to do. Without it, the action can be repeated. */
  isDone?(found: Found): boolean
  already?: string
}

export type ActDeps = Models & Pick<Deps, 'config' | 'now' | 'secrets' | 'slowHash' | 'transactions'>

/** Actions on one kind of object. Their names are the last parts of the paths of their pages. */
export interface ActGroup<Found, Needs = ActDeps> {
  noun: string
  object?: string
  /** Of the object's page, below `/admin`. `:id` stands for the id of the object. */
  path: string
  permission: Permission
  exampleId?: string
  find(deps: Needs, id: string): Promise<Found | null>
  nameOf(found: Found): string
  facts: readonly PageField<Found>[]
  /** Why no action is possible for this member of staff. */
  obstacle?(found: Found, staff: SignedIn): string | null
  /** What the form says about an error. Null if it is unexpected. */
  refusalText?(error: unknown): Promise<string | null>
  acts: Record<string, StaffAct<Found, Needs>>
}

/** Why an act isn't possible now, as a sentence, or null. */
export function obstacleTo<Found>(
  group: Pick<ActGroup<Found>, 'obstacle'>,
  act: Pick<StaffAct<Found>, 'isDone' | 'already' | 'obstacle'>,
  found: Found,
  staff: SignedIn,
) {
  const obstacle = group.obstacle?.(found, staff) ?? null
  if (obstacle !== null) return obstacle
  if (act.isDone?.(found)) return `Nothing to do: ${act.already}.`
  return act.obstacle?.(found) ?? null
}
