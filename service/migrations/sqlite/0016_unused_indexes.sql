-- No statement looks for orders or customers by their store; each new one had to be added there.
DROP INDEX order_of_store;
DROP INDEX customer_of_store;
