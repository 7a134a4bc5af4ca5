import { html } from 'ghtml'
import { type KeyInDetail, lookUpKey } from '../../businesses/key-facts.ts'
import { setKeyStatus } from '../../businesses/set-key-status.ts'
import { userText } from '../pages/words.ts'
import { type KeySwitch, keySwitches } from './key-switches.ts'
import type { ActGroup, StaffAct } from './staff-act.ts'

interface SwitchWords {
  label: string
  isDanger: boolean
}

const words: Record<keyof typeof keySwitches, SwitchWords> = {
  resume: { label: 'Resume', isDanger: false },
  suspend: { label: 'Suspend', isDanger: true },
  revoke: { label: 'Revoke', isDanger: true },
}

const switchAct = ({ effects, status }: KeySwitch, { label, isDanger }: SwitchWords): StaffAct<KeyInDetail> => ({
  permission: 'change-keys',
  label,
  title: `${label} key`,
  isDanger,
  effects,
  obstacle(key) {
    if (key.status === status) return `Nothing to do: the key is already ${status}.`
    return key.status === 'revoked' ? 'A revoked key cannot be changed.' : null
  },
  async run(deps, { id }, by) {
    return { result: (await setKeyStatus(deps, id, status, by)) ? 'done' : 'refused' }
  },
  done: `The key is now ${status}.`,
  isDone: (key) => key.status === status,
})

/** The acts on an API key. They are shown in this order. */
export const keyActs: ActGroup<KeyInDetail> = {
  path: '/keys/:id',
  find: lookUpKey,
  nameOf: ({ key }) => key,
  facts: ({ id, businessName, mode, kind, status, lastUsedDay }) =>
    html`<dt>Business</dt><dd>!${userText(businessName)}</dd>
    <dt>Mode</dt><dd>${mode}</dd>
    <dt>Kind</dt><dd>${kind}</dd>
    <dt>State</dt><dd>${status}</dd>
    <dt>Last used (UTC day)</dt><dd>${lastUsedDay ?? 'never'}</dd>
    <dt>Id</dt><dd class="id">${id}</dd>`,
  acts: Object.fromEntries(
    Object.entries(words).map(([name, each]) => [name, switchAct(keySwitches[name as keyof typeof keySwitches], each)]),
  ),
}
