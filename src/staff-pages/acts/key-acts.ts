import { html } from 'ghtml'
import { setKeyStatus } from '../../businesses/change-key.ts'
import { type KeyInDetail, lookUpKey } from '../../businesses/key-facts.ts'
import { type KeySwitch, keySwitches } from '../../staff-acts/switches.ts'
import { userText } from '../words.ts'
import type { ActGroup, StaffAct } from './staff-act.ts'

const switchAct = ({ label, effects, status }: KeySwitch): StaffAct<KeyInDetail> => ({
  label,
  title: `${label} key`,
  isDanger: effects.closes !== undefined,
  effects,
  obstacle: (key) => (key.status === 'revoked' ? 'A revoked key cannot be changed.' : null),
  run: (deps, { id }, by) => setKeyStatus(deps, id, status, by),
  done: `The key is now ${status}.`,
  isDone: (key) => key.status === status,
  already: `the key is already ${status}`,
})

/** The acts on an API key. */
export const keyActs: ActGroup<KeyInDetail> = {
  path: '/keys/:id',
  permission: 'change-keys',
  find: lookUpKey,
  nameOf: ({ key }) => key,
  facts: ({ id, businessName, mode, kind, status, lastUsedDay }) =>
    html`<dt>Business</dt><dd>!${userText(businessName)}</dd>
    <dt>Mode</dt><dd>${mode}</dd>
    <dt>Kind</dt><dd>${kind}</dd>
    <dt>State</dt><dd>${status}</dd>
    <dt>Last used (UTC day)</dt><dd>${lastUsedDay ?? 'never'}</dd>
    <dt>Id</dt><dd class="id">${id}</dd>`,
  acts: Object.fromEntries(Object.entries(keySwitches).map(([name, each]) => [name, switchAct(each)])),
}
