import type { ApiKey } from '../businesses/api-key.ts'
import type { KeyDetails } from '../businesses/key-facts.ts'
import type { ActionGroup, StaffAction } from './act.ts'
import { keyDisplay } from './shown.ts'

interface Switch extends Pick<StaffAction<KeyDetails>, 'label' | 'description' | 'audit' | 'effects'> {
  status: ApiKey['status']
}

const switchTo = ({ status, ...entry }: Switch): StaffAction<KeyDetails> => ({
  ...entry,
  title: `${entry.label} key`,
  isDanger: entry.effects.closes !== undefined,
  obstacle: (key) => (key.status === 'revoked' ? 'A revoked key cannot be changed.' : null),
  async run(deps, { id }, by) {
    const { setKeyStatus } = await import('../businesses/change-key.ts')
    return (await setKeyStatus(deps, id, status, by)) ? { done: { id, status } } : null
  },
  done: `The key is now ${status}.`,
  isDone: (key) => key.status === status,
  already: `the key is already ${status}`,
})

const staysOpen =
  "the business's other keys, its payment pages and its webhooks. Requests that have already begun are completed."

export const apiKeyActions: ActionGroup<KeyDetails> = {
  noun: 'key',
  path: '/keys/:id',
  permission: 'change-keys',
  find: async (deps, id) => (await import('../businesses/key-facts.ts')).lookUpKey(deps, id),
  nameOf: ({ key }) => key,
  facts: [
    { label: 'Business', unit: 'user', value: ({ businessName }) => businessName },
    keyDisplay.mode,
    keyDisplay.kind,
    keyDisplay.status,
    keyDisplay.lastUsedDay,
    keyDisplay.id,
  ],
  acts: {
    suspend: switchTo({
      label: 'Suspend',
      description: 'refuse a key until it is resumed',
      effects: {
        closes:
          'all requests with this key, including those with an earlier secret (403 API_ACCESS_NOT_ACTIVE).',
        staysOpen,
        undo: 'resume',
      },
      audit: 'key.suspended',
      status: 'suspended',
    }),
    resume: switchTo({
      label: 'Resume',
      description: 'accept a suspended key again',
      effects: { opens: 'requests with this key.', undo: 'suspend' },
      audit: 'key.resumed',
      status: 'active',
    }),
    revoke: switchTo({
      label: 'Revoke',
      description: 'refuse a key permanently',
      effects: {
        closes:
          'all requests with this key, including those with an earlier secret, permanently (403 API_ACCESS_NOT_ACTIVE).',
        staysOpen,
        undoNote:
          'a revoked key cannot be resumed. An operator can create a new key with the command "key create".',
      },
      audit: 'key.revoked',
      status: 'revoked',
    }),
  },
}
