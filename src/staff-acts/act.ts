import type { Act } from '../audit/acts.ts'
import type { Deps } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import type { Permission } from '../staff/permissions.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import type { ShownField } from './shown.ts'

/** The text of the form fields, by name. */
export type Values = Record<string, string>
/** The messages about invalid form fields, by the name of the field. `form` is a message about the whole form. */
export type Faults = Record<string, string>

/**
 * The consequences of an act, in sentences. Pages show them before the act is confirmed, and the command line shows
 * them in its help. At least one of `closes`, `opens` and `changes` is given.
 */
export interface Effects {
  closes?: string
  opens?: string
  changes?: string
  staysOpen?: string
  /** The name of the act that reverses this one. If there is none, `undoNote` explains why. */
  undo?: string
  undoNote?: string
}

/** The names of the parts of `Effects`, in the order in which they are shown. */
const effectNames = { closes: 'Closes', opens: 'Opens', changes: 'Changes', staysOpen: 'Stays open' } as const

/** Returns the consequences, each with its name. */
export const namedEffects = (effects: Effects): [name: string, sentence: string][] =>
  Object.entries(effectNames).flatMap(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? [] : [[name, sentence]]
  })

/** A field of the form that confirms an act, besides the reason. A field without a label is hidden. */
export interface ActField<Found> {
  label: string | null
  hint?: string
  /** What the help of the command says about the option. */
  option?: string
  /** The choices, for a field that is not free text. */
  choices?: readonly string[]
  isRequired?: boolean
  maxLength?: number
  /** On the command line, this word stands for an empty field. */
  emptyWord?: string
  /** Returns the initial value of the field. */
  current(found: Found): string
}

export interface Once {
  title: string
  name: string
  note: string
  text: string
  backPath: string
}

/**
 * What follows an act: `done` is what the command prints. `once` is a secret, shown on a page of its own, and `to` the
 * page that follows; otherwise the object's page shows the act's notice. With `faults`, the form is shown again. Null
 * if the object has changed, so the act is no longer possible.
 */
export type ActResult = { done: object; once?: Once; to?: string } | { faults: Faults } | null

/**
 * An act of staff. From its entry come its page with the confirmation, its command with the help text, its name in the
 * audit trail, and the tests of who may do it. `find` and `run` import what they use when they run, so that a help text
 * does not wait for MongoDB's driver.
 */
export interface StaffAct<Found, Needs = ActDeps> {
  /** The text of the link and the button, such as `Suspend`. */
  label: string
  /** The heading of the page, in front of the object's name, such as `Suspend business`. */
  title: string
  /** What the help says that the command does. */
  description: string
  /** The name of the command, if it is not the name of the act. Null if a command with more options exists. */
  command?: string | null
  /** The names of the lines that it adds to the audit trail. */
  audit: Act | readonly Act[]
  /** Whether the act takes something away from a person. Such acts are set apart and shown in red. */
  isDanger?: boolean
  isReasonOptional?: boolean
  effects: Effects
  fields?: Record<string, ActField<Found>>
  /** Returns more about what will happen, as HTML. Throws VALIDATION_ERROR if the values are invalid. */
  details?(deps: Needs, found: Found, values: Values): Promise<string>
  /** Returns why the act is not possible now, as a sentence, or null if it is possible. */
  obstacle?(found: Found): string | null
  /** Returns messages about invalid values. */
  faults?(values: Values): Faults
  run(deps: Needs, found: Found, by: By, values: Values): Promise<ActResult>
  /** The notice that the object's page shows after the act. */
  done: string
  /**
   * Returns whether the notice is still true. If so, there is nothing to do, because of what `already` says. If this
   * function is missing, the notice is always shown, and the act can be repeated.
   */
  isDone?(found: Found): boolean
  already?: string
}

/** What the command line has too. */
export type ActDeps = Pick<
  Deps,
  | 'ApiKey'
  | 'AuditEvent'
  | 'Business'
  | 'Staff'
  | 'StaffSession'
  | 'config'
  | 'now'
  | 'secrets'
  | 'slowHash'
  | 'transactions'
>

/** The acts on one kind of object. The name of an act is the last part of the path of its page. */
export interface ActGroup<Found, Needs = ActDeps> {
  /** The name of its group of commands. */
  noun: string
  /** What the object is called, if not `noun`. */
  object?: string
  /** The path of the object's page below `/admin`. `:id` stands for the id of the object. */
  path: string
  permission: Permission
  /** The id in the examples of commands. */
  exampleId?: string
  /** Returns the object, or null if it does not exist. */
  find(deps: Needs, id: string): Promise<Found | null>
  nameOf(found: Found): string
  /** Lets staff check that the object is the right one. */
  facts: readonly ShownField<Found>[]
  /** Returns why none of the acts is possible for this member of staff. */
  obstacle?(found: Found, staff: SignedIn): string | null
  /** Returns what the form says if an act throws this error, or null if the error is a fault of the service. */
  refusalText?(error: unknown): Promise<string | null>
  acts: Record<string, StaffAct<Found, Needs>>
}

/** Returns why an act is not possible now, as a sentence, or null if it is possible. */
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
