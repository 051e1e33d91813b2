import 'reflect-metadata';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientNats, Ctx, EventPattern, MessagePattern, Payload, RpcException, Transport } from '@nestjs/microservices';
import type { NatsContext } from '@nestjs/microservices';
import { Fault, sourceChanged } from '@portico/contracts';
import type { Call } from '@portico/contracts';
import { connectBus } from '@portico/bus';
import type { Bus } from '@portico/bus';
import { describeIfAvailable, startNatsServer } from '@portico/testkit';
import type { NatsServer } from '@portico/testkit';
import { concat, delay as later, firstValueFrom, of, toArray } from 'rxjs';
import { z } from 'zod';
import { Written, call, context, faultOf, request, said } from './describe-bus.js';

const heard: unknown[] = [];
const stream = {
  subject: 'domain.echo.stream',
  request: z.object({}),
  reply: z.string(),
  effect: 'read',
} satisfies Call;
const failing = {
  subject: 'domain.echo.failing',
  request: z.object({}),
  reply: z.string(),
  effect: 'read',
} satisfies Call;
const faulting = {
  subject: 'domain.echo.faulting',
  request: z.object({}),
  reply: z.string(),
  effect: 'read',
} satisfies Call;

@Controller()
class StockController {
  @MessagePattern(call.subject)
  answer(@Payload() payload: { tool: string }, @Ctx() ctx: NatsContext) {
    return said(`${payload.tool} ${String(ctx.getHeaders().get('X-Correlation-ID'))}`);
  }

  @MessagePattern(stream.subject)
  stream() {
    return concat(of('first'), of('last').pipe(later(20)));
  }

  @MessagePattern(failing.subject)
  fail() {
    throw new Error('connect 10.0.0.7');
  }

  @MessagePattern(faulting.subject)
  faulting() {
    throw new RpcException(new Fault('CONFLICT', 'Already there.').toRecord());
  }

  @EventPattern(sourceChanged.subject)
  hear(@Payload() payload: unknown) {
    heard.push(payload);
  }
}

@Module({ controllers: [StockController] })
class StockModule {}

describeIfAvailable('nats-server', 'the bus and stock Nest', () => {
  let nats: NatsServer;
  let bus: Bus;
  let log: Written;
  const closing: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    nats = await startNatsServer();
    log = new Written();
    bus = await connectBus({ url: nats.url, name: 'test', log });
  });
  afterEach(async () => {
    await bus.close();
    for (const close of closing.splice(0)) await close();
    await nats.stop();
  });

  const stockServer = async (): Promise<void> => {
    const options = { transport: Transport.NATS as const, options: { servers: [nats.url] }, logger: false as const };
    const service = await NestFactory.createMicroservice(StockModule, options);
    await service.listen();
    // Stock Nest does not wait until the server knows of its subscriptions.
    await service.unwrap<NatsConnection>().flush();
    closing.push(() => service.close());
  };
  const stockClient = async (): Promise<ClientNats> => {
    const client = new ClientNats({ servers: [nats.url] });
    await client.connect();
    closing.push(() => client.close());
    return client;
  };

  it('a stock microservice answers our ask, and reads our headers', async () => {
    await stockServer();
    await expect(bus.ask(call, request, { deadlineMs: 9_000, context })).resolves.toEqual(said('say corr-1'));
  });

  it('the last value of its stream is the reply', async () => {
    await stockServer();
    await expect(bus.ask(stream, {}, { deadlineMs: 9_000, onNotice: () => {} })).resolves.toBe('last');
  });

  it('its errors are faults: ours intact, any other generic', async () => {
    await stockServer();
    expect(await faultOf(bus.ask(faulting, {}, { deadlineMs: 9_000 }))).toMatchObject({
      code: 'CONFLICT',
      message: 'Already there.',
    });
    const fault = await faultOf(bus.ask(failing, {}, { deadlineMs: 9_000 }));
    expect(fault).toMatchObject({ code: 'UNKNOWN_ERROR', executed: 'unknown' });
    expect(fault.message).not.toContain('10.0.0.7');
    expect(log.events()).toEqual(['bus.fault-outside-contract']);
  });

  it('it hears what we tell', async () => {
    await stockServer();
    heard.length = 0;
    bus.tell(sourceChanged, { source: 'domain.echo' });
    for (let i = 0; i < 200 && heard.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(heard).toEqual([{ source: 'domain.echo' }]);
  });

  it('a stock client is answered by our service, once', async () => {
    await bus.serve(call, async ({ tool }, incoming) => {
      incoming.notify({ method: 'notifications/progress', params: { progress: 1 } });
      expect(incoming.remainingMs()).toBeGreaterThan(60_000);
      return said(tool);
    });
    const client = await stockClient();
    await expect(firstValueFrom(client.send(call.subject, request).pipe(toArray()))).resolves.toEqual([said('say')]);
  });

  it('a stock client gets our faults as they are, and our check of its request', async () => {
    await bus.serve(call, async () => {
      throw new Fault('RATE_LIMITED', 'Slow down.', { retryAfterMs: 5 });
    });
    const client = await stockClient();
    const limited = { code: 'RATE_LIMITED', message: 'Slow down.', executed: 'no', retryAfterMs: 5 };
    await expect(firstValueFrom(client.send(call.subject, request))).rejects.toEqual(limited);
    await expect(firstValueFrom(client.send(call.subject, { tool: 1 }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      executed: 'no',
    });
  });

  it('a stock client is heard by our listeners', async () => {
    const told = new Promise((resolve) => void bus.listen(sourceChanged, resolve));
    const client = await stockClient();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await firstValueFrom(client.emit(sourceChanged.subject, { source: 'domain.echo' }), { defaultValue: undefined });
    await expect(told).resolves.toEqual({ source: 'domain.echo' });
  });
});
