import { html } from 'ghtml'
import { mayStaff } from '../../staff/permissions.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import { entryNamed } from '../pages/query.ts'
import { type ActGroup, objectPath, obstacleTo } from './staff-act.ts'

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
