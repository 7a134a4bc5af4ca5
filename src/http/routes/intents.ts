import type { ListIntentsQuery } from '../../../schemas/intents.ts'
import { presentPage } from '../../input/pagination.ts'
import { cancelIntent } from '../../intents/cancel.ts'
import { createIntent, parseCreate } from '../../intents/create.ts'
import { findEffect } from '../../intents/effect.ts'
import { findIntent } from '../../intents/find.ts'
import { listIntents, parseList } from '../../intents/list.ts'
import { parseSimulation, simulatePayment } from '../../intents/payments/simulate.ts'
import { findCreated, presentFor, presentIntent } from '../../intents/present.ts'
import { parseRefund, refundIntent } from '../../intents/refunds/refund.ts'
import type { OperationInput, Route, WriteRoute } from '../operations/route.ts'
import { aboutIntents } from './intents-openapi.ts'

const ofIntent: Pick<WriteRoute, 'findEffect' | 'looksItself'> = {
  findEffect: (deps, caller, { referenceNumber = '' }, request) => findEffect(deps, caller, referenceNumber, request),
  looksItself: true,
}

/** The operations on payment intents (SPEC 4.1 to 4.6). */
export const intentRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/intents',
    about: aboutIntents.create,
    scope: 'payments.intents:write',
    status: 201,
    storesNoRow: true,
    findEffect: (deps, _caller, _params, request) => findCreated(deps, request),
    run: (deps, caller, { body }, request) =>
      createIntent(deps, caller, parseCreate(deps, caller.sandbox, body), request),
  },
  {
    method: 'get',
    path: '/dev/intents',
    about: aboutIntents.list,
    shows: 'intent',
    isPage: true,
    scope: 'payments.intents:read',
    run: async (deps, caller, { query }: OperationInput<ListIntentsQuery>) => {
      const now = deps.now()
      const page = await listIntents(deps, caller, parseList(query), now)
      return presentPage(page, (intent) => presentIntent(deps.config, intent, now))
    },
  },
  {
    method: 'get',
    path: '/dev/intents/:referenceNumber',
    about: aboutIntents.get,
    key: 'any',
    shows: 'intent',
    scope: 'payments.intents:read',
    run: async (deps, caller, { params }, deadlineAt) => {
      const now = deps.now()
      const intent = await findIntent(deps, caller, params.referenceNumber ?? '', deadlineAt)
      return presentFor(caller, deps.config, intent, now)
    },
  },
  {
    method: 'post',
    path: '/dev/intents/:referenceNumber/cancel',
    about: aboutIntents.cancel,
    scope: 'payments.intents:write',
    ...ofIntent,
    run: (deps, caller, { params: { referenceNumber = '' } }, request) =>
      cancelIntent(deps, caller, referenceNumber, request),
  },
  {
    method: 'post',
    path: '/dev/intents/:referenceNumber/simulate-payment',
    about: aboutIntents.simulate,
    scope: 'payments.intents:write',
    sandboxOnly: true,
    ...ofIntent,
    run: (deps, caller, { params: { referenceNumber = '' }, body }, request) =>
      simulatePayment(deps, caller, referenceNumber, parseSimulation(deps, body), request),
  },
  {
    method: 'post',
    path: '/dev/intents/:referenceNumber/refund',
    about: aboutIntents.refund,
    scope: 'payments.refunds:write',
    ...ofIntent,
    run: (deps, caller, { params: { referenceNumber = '' }, body }, request) =>
      refundIntent(deps, caller, referenceNumber, parseRefund(deps, body), request),
  },
]
