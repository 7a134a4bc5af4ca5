import type { By } from '../../audit/audit-event.ts'
import type { Deps } from '../../deps.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import type { Permission } from '../../staff/permissions.ts'
import type { Effects } from './effects.ts'

/** The text of the form fields, by name. */
export type Values = Record<string, string>
/** The messages about invalid form fields, by the name of the field. `form` is a message about the whole form. */
export type Faults = Record<string, string>

/** A field of the form that confirms an act, besides the reason. A field without a label is hidden. */
export interface ActField<Found> {
  label: string | null
  hint?: string
  /** The choices, for a field that is not free text. */
  choices?: readonly string[]
  /** Returns the value that the field has at first. */
  current(found: Found): string
}

/**
 * The result of an act. `to` is the page to show next, if it is not the object's page. `shown` is HTML that is shown
 * once, such as a new link. The result is `refused` if the object has changed so that the act is no longer possible.
 */
export type ActResult =
  | { result: 'done'; to?: string }
  | { result: 'shown'; body: string }
  | { result: 'invalid'; faults: Faults }
  | { result: 'refused' }

/** An act that staff confirm on a page of its own, which says what will happen and requires a reason. */
export interface StaffAct<Found> {
  permission: Permission
  /** The text of the link and the button, such as `Suspend`. */
  label: string
  /** The heading of the page, in front of the object's name, such as `Suspend business`. */
  title: string
  /** Whether the act takes something away from a person. Such acts are set apart and shown in red. */
  isDanger: boolean
  isReasonOptional?: boolean
  effects: Effects
  fields?: Record<string, ActField<Found>>
  /** Returns HTML with more about what will happen. Throws VALIDATION_ERROR if the values are not possible. */
  details?(deps: Deps, found: Found, values: Values): Promise<string>
  /** Returns why the act is not possible now, as a sentence, or null if it is possible. */
  obstacle(found: Found, staff: SignedIn): string | null
  /** Returns messages about invalid values. */
  faults?(values: Values): Faults
  run(deps: Deps, found: Found, by: By, values: Values): Promise<ActResult>
  /** The notice on the object's page afterwards. */
  done: string
  /** Returns whether the notice is true. If it is missing, the notice is always shown. */
  isDone?(found: Found): boolean
}

/** The acts on one kind of object. The name of an act is the last part of the address of its page. */
export interface ActGroup<Found> {
  /** The address of the object's page below `/admin`. `:id` stands for the id of the object. */
  path: string
  /** Returns the object, or null if it does not exist. */
  find(deps: Deps, id: string): Promise<Found | null>
  nameOf(found: Found): string
  /** Returns facts about the object, so that staff can check that it is the right one, as HTML for a `dl` element. */
  facts(found: Found): string
  acts: Record<string, StaffAct<Found>>
}

/** Returns the address of the page of an object of a group. */
export const objectPath = ({ path }: { path: string }, id: string): string =>
  `/admin${path.replace(':id', encodeURIComponent(id))}`
