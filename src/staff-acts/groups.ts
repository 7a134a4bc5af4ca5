import { accountActions, staffListActions } from './account-acts.ts'
import { businessActions } from './business-acts.ts'
import { apiKeyActions } from './key-acts.ts'
import { invitationActions, personActions, personListActions } from './person-acts.ts'

export const staffActionGroups = [
  businessActions,
  apiKeyActions,
  personListActions,
  personActions,
  invitationActions,
  staffListActions,
  accountActions,
] as const
