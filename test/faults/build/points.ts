import { cleanUpPoints } from './points/clean-up.ts'
import { createPoints } from './points/create.ts'
import { deliverPoints } from './points/deliver.ts'
import { expirePoints } from './points/expire.ts'
import { orderPoints } from './points/order.ts'
import { payPoints } from './points/pay.ts'
import type { Point } from './points/point.ts'
import { refundPoints } from './points/refund.ts'
import { relayPoints } from './points/relay.ts'
import { requeuePoints } from './points/requeue.ts'
import { stockPoints } from './points/stock.ts'

/** All named points of the service, operation by operation, in the order in which they are passed. */
export const points: readonly Point[] = [
  ...createPoints,
  ...relayPoints,
  ...deliverPoints,
  ...payPoints,
  ...refundPoints,
  ...expirePoints,
  ...requeuePoints,
  ...orderPoints,
  ...stockPoints,
  ...cleanUpPoints,
]
