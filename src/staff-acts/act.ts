import type { Act } from '../audit/acts.ts'
import type { Deps, Models } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import type { Permission } from '../staff/permissions.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import type { PageField } from './shown.ts'

/** What the form fields contain, by name. */
export type FormValues = Record<string, string>
/** Error messages by field. `form` is about the whole form. */
export type FormFaults = Record<string, string>

/**
 * Consequences of an act, in sentences. Pages show them before the act is confirmed, and the command line shows them in
 * its help. At least one of `closes`, `opens` and `changes` is given.
 */
export interface ActEffects {
  closes?: string
  opens?: string
  changes?: string
  staysOpen?: string
  /** The act that reverses this one. If there is none, `undoNote` explains why. */
  undo?: string
  undoNote?: string
}

/** In the order in which they're shown. */
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
  /** What the command's help says about the option. */
  option?: string
  /** For a field that isn't free text. */
  choices?: readonly string[]
  isRequired?: boolean
  maxLength?: number
  /** Stands for an empty field on the command line. */
  emptyWord?: string
  /** Returns the field's initial value. */
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
 * `done` is what the command prints. `once` is a secret, shown on a page of its own, and `to` is the page that follows;
 * otherwise the object's page shows the act's notice. With `faults`, the form is shown again. Null if the object has
 * changed, so the act is no longer possible.
 */
export type ActResult = { done: object; once?: OneTimeSecret; to?: string } | { faults: FormFaults } | null

/**
 * Everything about an act of staff: its page with the confirmation, its command with the help text, its name in the
 * audit trail, and the tests of who may do it come from this entry. `find` and `run` import what they use when they
 * run, so that a help text doesn't wait for MongoDB's driver.
 */
export interface StaffAct<Found, Needs = ActDeps> {
  /** For the link and the button, such as `Suspend`. */
  label: string
  /** Heading of the page, in front of the object's name, such as `Suspend business`. */
  title: string
  /** What the help says that the command does. */
  description: string
  /** If it isn't the name of the act. Null if a command with more options exists. */
  command?: string | null
  /** Names of the lines that it adds to the audit trail. */
  audit: Act | readonly Act[]
  /** Takes something away from a person. Such acts are set apart and shown in red. */
  isDanger?: boolean
  isReasonOptional?: boolean
  effects: ActEffects
  fields?: Record<string, ActField<Found>>
  /** More about what will happen, as HTML. Throws VALIDATION_ERROR if the values are invalid. */
  details?(deps: Needs, found: Found, values: FormValues): Promise<string>
  /** Why the act isn't possible now, as a sentence, or null. */
  obstacle?(found: Found): string | null
  faults?(values: FormValues): FormFaults
  run(deps: Needs, found: Found, by: By, values: FormValues): Promise<ActResult>
  /** Shown on the object's page after the act. */
  done: string
  /**
   * Whether the notice is still true. If so, there's nothing to do, because of what `already` says. Without this
   * function, the notice is always shown, and the act can be repeated.
   */
  isDone?(found: Found): boolean
  already?: string
}

/** What both the pages and the command line have. */
export type ActDeps = Models & Pick<Deps, 'config' | 'now' | 'secrets' | 'slowHash' | 'transactions'>

/** Acts on one kind of object. An act's name is the last part of its page's path. */
export interface ActGroup<Found, Needs = ActDeps> {
  /** Also the name of its group of commands. */
  noun: string
  /** If it isn't called `noun`. */
  object?: string
  /** Of the object's page, below `/admin`. `:id` stands for the id of the object. */
  path: string
  permission: Permission
  /** Stands for the id in the examples of commands. */
  exampleId?: string
  find(deps: Needs, id: string): Promise<Found | null>
  nameOf(found: Found): string
  /** Lets staff check that the object is the right one. */
  facts: readonly PageField<Found>[]
  /** Why none of the acts is possible for this member of staff. */
  obstacle?(found: Found, staff: SignedIn): string | null
  /** What the form says about an error of an act, or null if the error is a fault of the service. */
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
