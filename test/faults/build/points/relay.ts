import { after, before } from './point.ts'

const relay = before('worker', 'src/webhooks/relay.ts')

export const relayPoints = [
  relay('relay.events-read', 'const receivers = await receiversOf('),
  relay('relay.before-insert', 'await Promise.all(deliveries.map((delivery) => deps.lanes.insertDelivery('),
  relay('relay.deliveries-inserted', 'nudgeFresh(deps, deliveries, receivers)'),
  after('worker', 'src/webhooks/relay.ts')('relay.nudged', 'nudgeFresh(deps, deliveries, receivers)'),
  relay('relay.events-pulled', 'scheduleExpiries(deps, intents)'),
  after('worker', 'src/webhooks/relay.ts')('relay.expiries-scheduled', 'scheduleExpiries(deps, intents)'),
]
