// What libraries of Prototype's age add to the prototypes: functions that loops come upon.
const OF_OBJECTS = "extend each map clone keys values equals hash inspect merge contains isEmpty toJSONString";
const OF_LISTS = "each first last clear compact without inspect";
for (const name of OF_OBJECTS.split(" ")) Object.prototype[name] = () => name;
for (const name of OF_LISTS.split(" ")) Array.prototype[name] = () => name;
