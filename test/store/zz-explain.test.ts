import { openHouse } from '../support/house.ts'
describe('x', () => {
  it('y', async () => {
    const house = await openHouse()
    const show = (e: any) => JSON.stringify(e.queryPlanner.winningPlan, (k, v) => (['stage', 'indexName', 'inputStage', 'indexBounds', 'direction'].includes(k) || k === '' || k === 'reservations.at' || k === 'createdAt'|| Array.isArray(v) || /^\d+$/.test(k) ? v : undefined))
    console.log(show(await house.deps.Product.find({ 'reservations.at': { $exists: true }, 'reservations.order': 'x' }).explain()))
    console.log(show(await house.deps.Product.findOne({ businessId: 'b', sandbox: true, listed: true, active: true, variants: { $elemMatch: { stock: { $gte: 1 } } } }).sort({ createdAt: -1, _id: -1 }).explain()))
    console.log(show(await house.deps.Order.find({ businessId: 'b', sandbox: true, status: 'PLACED', createdAt: { $gte: new Date() } }).sort({ createdAt: -1, _id: -1 }).explain()))
    await house.close()
  })
})
