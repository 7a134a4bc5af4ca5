import { html } from 'ghtml'
import type { Deps } from '../../platform/deps.ts'
import type { By } from '../../security/actor.ts'
import { mayStaff, type Permission } from '../../staff/permissions.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import type { Effects } from '../../staff-acts/switches.ts'
import { entryNamed } from '../paths.ts'

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
  isRequired?: boolean
  maxLength?: number
  /** Returns the initial value of the field. */
  current(found: Found): string
}

/**
 * What follows an act. If true, the object's page follows with the notice `done`. `to` is another page, and `body` is
 * HTML that is shown once, such as a new link. With `faults`, the form is shown again. The result is false if the
 * object has changed so that the act is no longer possible.
 */
export type ActResult = boolean | { to: string } | { body: string } | { faults: Faults }

/** An act that staff confirm on a page of its own, which says what will happen and requires a reason. */
export interface StaffAct<Found> {
  /** The text of the link and the button, such as `Suspend`. */
  label: string
  /** The heading of the page, in front of the object's name, such as `Suspend business`. */
  title: string
  /** Whether the act takes something away from a person. Such acts are set apart and shown in red. */
  isDanger?: boolean
  isReasonOptional?: boolean
  effects: Effects
  fields?: Record<string, ActField<Found>>
  /** Returns more facts about what will happen, as HTML. Throws VALIDATION_ERROR if the values are invalid. */
  details?(deps: Deps, found: Found, values: Values): Promise<string>
  /** Returns why the act is not possible now, as a sentence, or null if it is possible. */
  obstacle?(found: Found): string | null
  /** Returns messages about invalid values. */
  faults?(values: Values): Faults
  run(deps: Deps, found: Found, by: By, values: Values): Promise<ActResult>
  /** The notice that the object's page shows after the act. */
  done: string
  /**
   * Returns whether the notice is still true. If so, there is nothing to do, because of what `already` says. If this
   * function is missing, the notice is always shown, and the act can be repeated.
   */
  isDone?(found: Found): boolean
  already?: string
}

/** The acts on one kind of object. The name of an act is the last part of the path of its page. */
export interface ActGroup<Found> {
  /** The path of the object's page below `/admin`. `:id` stands for the id of the object. */
  path: string
  permission: Permission
  /** Returns the object, or null if it does not exist. */
  find(deps: Deps, id: string): Promise<Found | null>
  nameOf(found: Found): string
  /** Returns facts about the object, so that staff can check that it is the right one, as HTML for a `dl` element. */
  facts(found: Found): string
  /** Returns why none of the acts is possible for this member of staff. */
  obstacle?(found: Found, staff: SignedIn): string | null
  /** Returns what the form says if an act throws this error, or null if the error is a fault of the service. */
  refusalText?(error: unknown): string | null
  acts: Record<string, StaffAct<Found>>
}

/** Returns the path of the page of one object of a group. */
export const objectPath = ({ path }: { path: string }, id: string): string =>
  `/admin${path.replace(':id', encodeURIComponent(id))}`

/** Returns why an act is not possible now, as a sentence, or null if it is possible. */
export function obstacleTo<Found>(group: ActGroup<Found>, act: StaffAct<Found>, found: Found, staff: SignedIn) {
  const obstacle = group.obstacle?.(found, staff) ?? null
  if (obstacle !== null) return obstacle
  if (act.isDone?.(found)) return `Nothing to do: ${act.already}.`
  return act.obstacle?.(found) ?? null
}

/**
 * Returns links to the acts that this member of staff can perform on an object now, with the dangerous acts set apart.
 * Returns an empty string if there are none.
 */
export function actLinks<Found>(group: ActGroup<Found>, id: string, found: Found, staff: SignedIn): string {
  const possible = Object.entries(group.acts).filter(([, act]) => obstacleTo(group, act, found, staff) === null)
  if (possible.length === 0 || !mayStaff(staff, group.permission)) return ''
  const links = (isDanger: boolean) => {
    const each = possible
      .filter(([, act]) => (act.isDanger ?? false) === isDanger)
      .map(
        ([name, { label }]) =>
          html`<a class="button ${isDanger ? 'danger' : ''}" href="${objectPath(group, id)}/${name}">${label}…</a>`,
      )
    return each.length === 0 ? '' : html`<div>!${each}</div>`
  }
  return html`<h2>Actions</h2><div class="card acts">!${links(false)}!${links(true)}</div>`
}

/**
 * Returns the notice to show after an act. Returns an empty string if the query names no act, or if the object has
 * changed since then.
 */
export function actNotice<Found>(group: ActGroup<Found>, found: Found, query: Record<string, unknown>): string {
  const act = entryNamed(group.acts, query.done)
  if (act === undefined || act.isDone?.(found) === false) return ''
  return html`<p class="notice good" role="status">${act.done}</p>`
}
