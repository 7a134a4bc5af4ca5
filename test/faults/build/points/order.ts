import { before, within } from './point.ts'

const place = before('web', 'src/store/orders/place.ts')

export const orderPoints = [
  place('order.before-reserve', 'const takings = takingsOf(lines)'),
  place('order.reserved', 'const written = await writeDown('),
  place('order.placed', 'wakeOrderRelay(deps, order)'),
  within('web', 'src/store/orders/place.ts')(
    'order.settled',
    'settle(deps, mine.tryId, takings).catch(() => undefined)',
    'settle(deps, mine.tryId, takings).then(() => REACH).catch(() => undefined)',
  ),
  before('worker', 'src/store/orders/reservations.ts')(
    'order.released',
    'if (placed?.tryId === tryId) await settle(',
  ),
]
