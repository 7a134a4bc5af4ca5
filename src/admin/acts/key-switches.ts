import type { ApiKey } from '../../businesses/api-key.ts'
import type { Effects } from './effects.ts'

/** A change of a key's status, which staff make on a page and operators on the command line. */
export interface KeySwitch {
  description: string
  label: string
  effects: Effects
  status: ApiKey['status']
}

const staysOpen =
  "the business's other keys, its payment pages and its webhooks. Requests that have already begun are completed."

export const keySwitches = {
  suspend: {
    description: 'refuse a key until it is resumed',
    label: 'Suspend',
    effects: {
      closes: 'all requests with this key, also with an earlier secret (403 API_ACCESS_NOT_ACTIVE).',
      staysOpen,
      undo: 'resume',
    },
    status: 'suspended',
  },
  resume: {
    description: 'accept a suspended key again',
    label: 'Resume',
    effects: { opens: 'requests with this key.', undo: 'suspend' },
    status: 'active',
  },
  revoke: {
    description: 'refuse a key permanently',
    label: 'Revoke',
    effects: {
      closes: 'all requests with this key, also with an earlier secret, permanently (403 API_ACCESS_NOT_ACTIVE).',
      staysOpen,
      undoNote: 'a revoked key cannot be resumed. An operator can create a new key with the command "key create".',
    },
    status: 'revoked',
  },
} as const satisfies Record<string, KeySwitch>
