from sklearn.preprocessing import StandardScaler

scaler = StandardScaler()
scaler.update(x)
scaler.scale(y)
