import { html } from 'ghtml'
import { byCaller } from '../businesses/caller.ts'
import { isolateText } from '../http/pages/text.ts'
import { confirmOwnerSeen } from '../people/change-people.ts'
import { listUnseenOwners } from '../people/list-people.ts'
import { renderPostForm } from './frame.ts'
import { frameLocaleOf } from './locale.ts'
import type { Visit } from './visit.ts'

/** Staff let this owner in. Another owner confirms having seen it. */
export async function ownerAlerts({ deps, res, member, base }: Visit): Promise<string> {
  if (member.role !== 'owner') return ''
  const { words } = frameLocaleOf(res)
  const unseen = await listUnseenOwners(deps, member.business._id, {
    id: member.person.id,
    since: member.since,
  })
  const button = html`<button class="plain">${words.ownerSeen}</button>`
  const alerts = unseen.map(({ id, name }) => {
    const form = renderPostForm(member.person, `${base}/owners/${id}/seen`, '', button, words.proceed)
    return html`<div class="notice wait" role="alert"><p>!${words.ownerReturned(isolateText(name))}</p>!${form}</div>`
  })
  return alerts.join('')
}

export async function confirmOwner({ deps, req, member, caller, base }: Visit): Promise<{ to: string }> {
  const seen = { id: String(req.params['id']), businessId: member.business._id, since: member.since }
  await confirmOwnerSeen(deps, seen, byCaller(caller))
  return { to: base }
}
